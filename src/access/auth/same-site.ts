import type { Request } from 'express';
import { forbiddenError } from '../../common/errors';

/**
 * Second line of defence behind the CSRF token and the cookie's SameSite: the browser's own Fetch Metadata. `Origin`
 * does not work because `no-referrer` makes it `null` on forms.
 * @throws ApiError 403 for a request initiated by another site
 */
export function rejectCrossSiteRequest(request: Request): void {
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') throw forbiddenError('Another site sent this request.');
}
