import type { ForeignAccountDevice } from '../device/foreign-device';
import type { Service } from '../service';
import { decideConsent } from './third-party-app';

/** Follows a client library's authorization URL as a person who consents. Returns the final URL of the browser. */
export async function grantBrowserConsent(
  service: Service,
  person: Pick<ForeignAccountDevice, 'accountId'>,
  address: string | URL,
): Promise<URL> {
  const { origin, pathname, search } = new URL(address);
  if (origin !== service.url) throw new Error(`the client sends people to ${origin}`);
  return new URL(await decideConsent(service, person, await service.http.get(pathname + search)));
}
