import { AccountDevice } from './account-device';
import type { DataEnvelope, SignInResult } from './api-resources';
import { generateContentKey } from './content/content-key';
import { createDeviceState } from './device-state';
import { createKeyProof } from './key-proof';
import { generateDeviceKeys, getPublicKeys, toPublicKey } from './keys';
import { getDeviceDescription, type NewDeviceOptions } from './new-device-options';
import { createRemoteService } from './service-address';
import { SignedInDevice } from './signed-in-device';

export interface SignUpOptions extends NewDeviceOptions {
  /** 3 to 32 characters of `a-z0-9-` */
  username: string;
  /** Required when sign-up is closed. */
  invitation?: string;
}

/**
 * Creates an account with its first device. Stores the keys before the request, so that a lost response doesn't lose
 * the account. The recovery key is a separate step: {@link AccountDevice.addRecoveryKey}.
 * @throws ApiResponseError 409 `conflict` when the name is in use, 403 `forbidden` when sign-up is closed
 */
export async function signUp(options: SignUpOptions): Promise<AccountDevice> {
  const remoteService = createRemoteService(options);
  const storedState = await options.store.loadState('account');
  if (storedState?.account)
    throw new Error(`${options.store.location} already holds a device of ${storedState.account.username}.`);
  const state = storedState ?? createDeviceState('account', remoteService.http.url, generateDeviceKeys());
  const contentKey = (state.contentKey ??= generateContentKey());
  await options.store.saveState(state);
  const keyProof = await createKeyProof(remoteService.http, remoteService.audience, state.keys, 'both');
  const { data } = await remoteService.http.sendRequest<DataEnvelope<SignInResult>>('POST', '/v1/accounts', {
    body: {
      username: options.username,
      ...keyProof,
      device: { ...getPublicKeys(state.keys), ...getDeviceDescription(options) },
      contentPublicKey: toPublicKey(contentKey.key),
      invitation: options.invitation,
    },
  });
  const device = new SignedInDevice(remoteService, options.store, state);
  await device.applySignIn(data);
  return new AccountDevice(device);
}
