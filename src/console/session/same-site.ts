import type { Request } from 'express';
import { forbidden } from '../../common/errors';

/**
 * A second line behind the CSRF token and the cookie's SameSite: what a browser says itself of where a request began
 * (Fetch Metadata). Origin would not do, because `no-referrer` makes it `null` on forms.
 * @throws ApiError 403 for a request that another site began
 */
export function requireSameSite(request: Request): void {
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') throw forbidden('Another site sent this request.');
}
