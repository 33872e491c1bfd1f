import { AccountDevice } from './account-device';
import { newState } from './device-state';
import { MemoryKeyStore } from './key-store';
import { fingerprintOf, generateDeviceKeys } from './keys';
import { describeDevice, type NewDevice } from './new-device';
import { requestPairing } from './pairing';
import { recoveryKeys } from './recovery-key';
import { serviceAt } from './service-address';
import { SignedInDevice } from './signed-in-device';

/**
 * Makes a new device of the account that the recovery key belongs to: the device on paper signs in, unseals the
 * content key from its enrollment and approves the new one (device-api.md, Recovery).
 * @throws DeviceRefusedError when no account has this recovery key; Error when the store already holds a device
 */
export async function recover(options: NewDevice & { recoveryKey: string }): Promise<AccountDevice> {
  const service = serviceAt(options);
  const kept = await options.store.load('account');
  if (kept?.account) throw new Error(`${options.store.location} already holds a device of ${kept.account.username}.`);
  const paper = newState('account', service.http.url, recoveryKeys(options.recoveryKey));
  const recovery = new SignedInDevice(service, new MemoryKeyStore(), paper);
  await recovery.signIn();

  const state = newState('account', service.http.url, generateDeviceKeys());
  state.pairing = await requestPairing(service, state.keys, { kind: 'account', ...describeDevice(options) });
  const fresh = new SignedInDevice(service, options.store, state);
  await fresh.save();
  await new AccountDevice(recovery).approveOwn(state.pairing.code, fingerprintOf(state.keys));
  await fresh.signIn();
  return new AccountDevice(fresh);
}
