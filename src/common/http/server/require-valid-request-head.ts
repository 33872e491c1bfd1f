import type { NextFunction, Request, Response } from 'express';
import { ApiError, invalidRequestError, notFoundError } from '../../errors';
import { hasUnmetExpectation } from './expect-header';

/** Percent-encoded unreserved character (RFC 3986 §2.3). */
const UNNECESSARILY_ENCODED = /%(2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

/**
 * Rejects requests that HTTP allows but the API doesn't: alternative spellings of a path, unsupported expectations,
 * and requests without exactly one Host (RFC 9112 §3.2).
 */
export function requireValidRequestHead(request: Request, _: Response, next: NextFunction): void {
  next(findRequestHeadError(request));
}

function findRequestHeadError(request: Request): ApiError | undefined {
  if (hasUnmetExpectation(request)) {
    return new ApiError('expectation_failed', 'The only supported expectation is 100-continue.', {
      headers: { Connection: 'close' },
    });
  }
  const hostCount = countHostHeaders(request.rawHeaders);
  if (hostCount > 1 || (hostCount === 0 && request.httpVersion !== '1.0')) {
    return hostCount === 0
      ? invalidHostError('required', 'The header Host is required.')
      : invalidHostError('not_allowed', 'The header Host is given more than once.');
  }
  if (UNNECESSARILY_ENCODED.test(request.path)) return notFoundError('path');
  return undefined;
}

function invalidHostError(code: string, message: string): ApiError {
  return invalidRequestError([{ in: 'header', path: '/Host', code, message }]);
}

/** Counts without a copy of the names, for each request. */
function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
