import { DeviceApiClient } from './device-api-client';
import type { RemoteService } from './signed-in-device';

export const DEFAULT_SERVICE_URL = 'http://localhost:3000';

export interface ServiceAddress {
  /** Address that requests are sent to, such as `http://localhost:3000`. */
  url: string;
  /** The service's public URL, when it differs from `url` (one instance behind a load balancer). */
  publicUrl?: string;
}

/** @throws Error when a URL is invalid */
export function createRemoteService({ url, publicUrl }: ServiceAddress): RemoteService {
  const http = new DeviceApiClient(url);
  return { http, audience: publicUrl === undefined ? http.url : new DeviceApiClient(publicUrl).url };
}
