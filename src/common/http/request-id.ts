import type { NextFunction, Request, Response } from 'express';
import { newId } from '../ids';

declare module 'express-serve-static-core' {
  interface Request {
    /** `req_…`: in `X-Request-Id`, in bodies and in logs. */
    id: string;
  }
}

/** Names every request, before anything can fail. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  request.id = newId('req');
  response.setHeader('X-Request-Id', request.id);
  next();
}
