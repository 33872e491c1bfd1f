import type { OpenApiObject } from './json-schema';

export const EXTERNAL_API = '/external/v1';
export const HOST_ROOT_URL = '/';

/** Operations of devices that the specification of the External API contains. */
export const ACCOUNT_ROUTES = [
  'POST /v1/account/external-tokens',
  'POST /v1/developer/apps',
  'POST /v1/sessions/{id}/key-grants',
];

export interface OpenApiServer {
  url: string;
  description: string;
}

/** Builds `servers` of the committed document with a relative URL. */
export function buildServers(url: string): OpenApiServer[] {
  return [{ url, description: 'The host that serves this document' }];
}

/**
 * Returns a route's path in the document: below the document's server, or at the root of the host with `servers` in its
 * path item (OpenAPI 3.1.1 §4.8.9).
 */
export function resolveDocumentPath(route: string): { path: string; servers?: OpenApiServer[] } {
  if (isExternalApiPath(route)) return { path: route.slice(EXTERNAL_API.length) };
  return { path: route, servers: buildServers(HOST_ROOT_URL) };
}

export function isExternalApiPath(route: string): boolean {
  return route.startsWith(`${EXTERNAL_API}/`);
}

/** Returns the document with the public URL in every server. */
export function withServerUrl(publicUrl: string, document: OpenApiObject): OpenApiObject {
  const replaceServers = <T extends OpenApiObject>(part: T): T => {
    if (!part.servers) return part;
    const servers = (part.servers as OpenApiServer[]).map(({ url }) => ({
      url: publicUrl + url.replace(/\/$/, ''),
      description: 'This service',
    }));
    return { ...part, servers };
  };
  const paths = Object.entries((document.paths ?? {}) as Record<string, OpenApiObject>);
  return {
    ...replaceServers(document),
    paths: Object.fromEntries(paths.map(([path, item]) => [path, replaceServers(item)])),
  };
}
