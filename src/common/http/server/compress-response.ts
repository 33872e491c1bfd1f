import compression from 'compression';
import type { Response } from 'express';

/** In bytes; shorter responses are not compressed (docs/protocol/external-api.md). */
export const COMPRESSION_THRESHOLD = 1_024;

/** A page of sessions is 3 % longer than at the default of 6, and takes half the time. */
const GZIP_LEVEL = 3;

const compress = compression({ threshold: COMPRESSION_THRESHOLD, level: GZIP_LEVEL });

/**
 * Lets the response be compressed as the client accepts, for handlers that write it themselves. Called before the first
 * write. It isn't a middleware, because most responses are short and would pay for it all the same.
 */
export function compressResponse(response: Response): void {
  compress(response.req, response, () => undefined);
}
