import { HttpClient } from './http-client';
import type { Service } from './signed-in-device';

export const DEFAULT_URL = 'http://localhost:3000';

export interface ServiceAddress {
  /** Where requests go, such as `http://localhost:3000`. */
  url: string;
  /** What the service calls itself, where that differs from `url` (one instance behind a load balancer). */
  publicUrl?: string;
}

/** @throws Error when a URL is none */
export function serviceAt({ url, publicUrl }: ServiceAddress): Service {
  const http = new HttpClient(url);
  return { http, audience: publicUrl === undefined ? http.url : new HttpClient(publicUrl).url };
}
