import type { NextFunction, Request, Response } from 'express';
import { generateId } from '../ids';

declare module 'express-serve-static-core' {
  interface Request {
    /** `req_…`, which also appears in `X-Request-Id`, error bodies and logs. */
    id: string;
  }
}

/** Assigns an id to the request. Runs first, so that all errors have an id. */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  request.id = generateId('req');
  response.setHeader('X-Request-Id', request.id);
  next();
}
