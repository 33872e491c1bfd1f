import type { AccountDevice } from '../device/foreign-device';
import type { Service } from '../service';
import { consent } from './third-party';

/** A person whom a client library sends to an address, and who says yes; where their browser arrives in the end. */
export async function followAndAllow(service: Service, person: AccountDevice, address: string | URL): Promise<URL> {
  const { origin, pathname, search } = new URL(address);
  if (origin !== service.url) throw new Error(`the client sends people to ${origin}`);
  return new URL(await consent(service, person, await service.http.get(pathname + search)));
}
