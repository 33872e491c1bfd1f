import type { Response } from 'express';

export interface PagePolicy {
  /** Additional sources of `form-action`. */
  formAction?: readonly string[];
  /** The page shows decrypted images in sandboxed frames, whose documents are `blob:` URLs of its own. */
  hasPreviews?: boolean;
}

/**
 * Sets the headers of every page: resources from this service only, nothing inline, no frames, no caching.
 * @throws Error for a source that could inject another directive
 */
export function setPageHeaders(response: Response, { formAction = [], hasPreviews = false }: PagePolicy = {}): void {
  const invalidSource = formAction.find((source) => /[;,'\s]/.test(source));
  if (invalidSource !== undefined) throw new Error(`Not a valid source of form-action: ${invalidSource}`);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    ...(hasPreviews ? ['frame-src blob:'] : []),
    ["form-action 'self'", ...formAction].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  response.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  });
}
