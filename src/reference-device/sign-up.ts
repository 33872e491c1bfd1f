import { AccountDevice } from './account-device';
import type { Data, SignedIn } from './api-records';
import { generateContentKey } from './content/content-key';
import { newState } from './device-state';
import { proveKeys } from './identity';
import { generateDeviceKeys, publicKeys, publicPart } from './keys';
import { describeDevice, type NewDevice } from './new-device';
import { serviceAt } from './service-address';
import { SignedInDevice } from './signed-in-device';

export interface SignUpOptions extends NewDevice {
  /** 3 to 32 of `a-z0-9-` */
  username: string;
  /** Needed where sign-up is closed. */
  invitation?: string;
}

/**
 * Makes an account with its first device. The keys are stored before the service is asked, so that a lost answer
 * loses no account. The recovery key is a second step: {@link AccountDevice.addRecoveryKey}.
 * @throws ApiError 409 `conflict` for a taken name, 403 `forbidden` where sign-up is closed
 */
export async function signUp(options: SignUpOptions): Promise<AccountDevice> {
  const service = serviceAt(options);
  const kept = await options.store.load('account');
  if (kept?.account) throw new Error(`${options.store.location} already holds a device of ${kept.account.username}.`);
  const state = kept ?? newState('account', service.http.url, generateDeviceKeys());
  const contentKey = (state.contentKey ??= generateContentKey());
  await options.store.save(state);
  const proof = await proveKeys(service.http, service.audience, state.keys, 'both');
  const { data } = await service.http.request<Data<SignedIn>>('POST', '/v1/accounts', {
    body: {
      username: options.username,
      ...proof,
      device: { ...publicKeys(state.keys), ...describeDevice(options) },
      contentPublicKey: publicPart(contentKey.key),
      invitation: options.invitation,
    },
  });
  const device = new SignedInDevice(service, options.store, state);
  await device.accept(data);
  return new AccountDevice(device);
}
