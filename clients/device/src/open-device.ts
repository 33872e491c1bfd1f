import type { ClientDeviceKind } from './api-resources';
import type { KeyStore } from './key-store';
import { createRemoteService, type ServiceAddress } from './service-address';
import { SignedInDevice } from './signed-in-device';

const SETUP_COMMANDS = { account: 'signup', machine: 'machine' } as const;

/**
 * Opens the device of an existing key file.
 * @param options `url` defaults to the address that the device used last
 * @throws Error when the store holds no device of this kind
 */
export async function openDevice(
  kind: ClientDeviceKind,
  options: Partial<ServiceAddress> & { store: KeyStore },
): Promise<SignedInDevice> {
  const state = await options.store.loadState(kind);
  if (!state)
    throw new Error(`${options.store.location} contains no ${kind} device. Run "${SETUP_COMMANDS[kind]}" first.`);
  const remoteService = createRemoteService({ url: options.url ?? state.url, publicUrl: options.publicUrl });
  return new SignedInDevice(remoteService, options.store, state);
}
