import type { DeviceKind } from './api-records';
import type { KeyStore } from './key-store';
import { serviceAt, type ServiceAddress } from './service-address';
import { SignedInDevice } from './signed-in-device';

const BEGINNING = { account: 'signup', machine: 'machine' } as const;

/**
 * The device of an existing key file.
 * @param options `url` is by default where the device last found the service
 * @throws Error when there is none
 */
export async function openDevice(
  kind: DeviceKind,
  options: Partial<ServiceAddress> & { store: KeyStore },
): Promise<SignedInDevice> {
  const state = await options.store.load(kind);
  if (!state)
    throw new Error(`There is no ${kind} device in ${options.store.location}: begin with "${BEGINNING[kind]}".`);
  const service = serviceAt({ url: options.url ?? state.url, publicUrl: options.publicUrl });
  return new SignedInDevice(service, options.store, state);
}
