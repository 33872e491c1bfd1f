/** Returns the path of the consent page, which its form also posts to. */
export function buildConsentPath(requestId: string): string {
  return `/console/consent/${encodeURIComponent(requestId)}`;
}

/** Returns the request id of a consent page's path; null for any other path. */
export function extractConsentRequestId(path: string): string | null {
  return /^\/console\/consent\/([\w-]+)$/.exec(path)?.[1] ?? null;
}
