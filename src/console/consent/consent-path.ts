/** Where authorize sends a browser, and the page's form. */
export function consentPath(requestId: string): string {
  return `/console/consent/${encodeURIComponent(requestId)}`;
}

/** Of the request that a path leads to; null: to another page. */
export function requestIdIn(path: string): string | null {
  return /^\/console\/consent\/([\w-]+)$/.exec(path)?.[1] ?? null;
}
