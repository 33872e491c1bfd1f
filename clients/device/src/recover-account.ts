import { AccountDevice } from './account-device';
import { createDeviceState } from './device-state';
import { MemoryKeyStore } from './key-store';
import { computeDeviceFingerprint, generateDeviceKeys } from './keys';
import { getDeviceDescription, type NewDeviceOptions } from './new-device-options';
import { requestPairing } from './pairing';
import { deriveRecoveryKeys } from './recovery-key';
import { createRemoteService } from './service-address';
import { SignedInDevice } from './signed-in-device';

/**
 * Creates a new device of the recovery key's account: the paper device signs in, unseals the content key from its
 * enrollment and approves the new device (docs/protocol/device-api.md#recovery).
 * @throws DeviceRejectedError when no account has this recovery key; Error when the store already holds a device
 */
export async function recoverAccount(options: NewDeviceOptions & { recoveryKey: string }): Promise<AccountDevice> {
  const remoteService = createRemoteService(options);
  const storedState = await options.store.loadState('account');
  if (storedState?.account)
    throw new Error(`${options.store.location} already holds a device of ${storedState.account.username}.`);
  const recoveryState = createDeviceState('account', remoteService.http.url, deriveRecoveryKeys(options.recoveryKey));
  const recoveryDevice = new SignedInDevice(remoteService, new MemoryKeyStore(), recoveryState);
  await recoveryDevice.signIn();

  const state = createDeviceState('account', remoteService.http.url, generateDeviceKeys());
  state.pairing = await requestPairing(remoteService, state.keys, {
    kind: 'account',
    ...getDeviceDescription(options),
  });
  const newDevice = new SignedInDevice(remoteService, options.store, state);
  await newDevice.saveState();
  await new AccountDevice(recoveryDevice).approveByFingerprint(
    state.pairing.code,
    computeDeviceFingerprint(state.keys),
  );
  await newDevice.signIn();
  return new AccountDevice(newDevice);
}
