import type { Response } from 'express';

/**
 * On every page: nothing but what this service serves itself, nothing inline, no frames, kept nowhere.
 * @param formAction further sources that forms may lead to
 * @throws Error for a source that would say more than itself
 */
export function setPageHeaders(response: Response, formAction: readonly string[] = []): void {
  const stray = formAction.find((source) => /[;,'\s]/.test(source));
  if (stray !== undefined) throw new Error(`No source of form-action: ${stray}`);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
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
