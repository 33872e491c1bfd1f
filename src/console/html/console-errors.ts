import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionCookie } from '../../auth';
import type { ApiError } from '../../common/errors';
import { signInPath } from '../session/return-path';
import { errorPage } from './error-page';
import { setPageHeaders } from './page-headers';
import { isSafe } from './page-input';
import { renderPage } from './render';

/** Refusals under `/console` as pages, for browsers; its scripts ask for JSON and get problem+json. */
@Injectable()
export class ConsoleErrors {
  constructor(private readonly cookie: SessionCookie) {}

  /** False where the answer is not for it to give. */
  present(error: ApiError, request: Request, response: Response): boolean {
    if (!/^\/console(\/|$)/i.test(request.path)) return false;
    if (request.accepts(['text/html', 'application/json']) !== 'text/html') return false;
    const ended = error.status === 401;
    if (ended && isNavigation(request) && this.cookie.read(request) !== null) this.cookie.clear(response);
    if (ended && isSafe(request)) {
      response.status(303).set('Cache-Control', 'no-store').location(signInPath(request.originalUrl)).end();
      return true;
    }
    this.show(error, request, response);
    return true;
  }

  private show(error: ApiError, request: Request, response: Response): void {
    const { 'WWW-Authenticate': _, ...headers } = error.extras.headers ?? {};
    setPageHeaders(response);
    response.status(error.status).set(headers);
    // Nobody is signed in any more where that was the error.
    const viewer = error.status === 401 ? null : (request.viewer ?? null);
    response.end(renderPage(errorPage(error, request.id), viewer, request.path));
  }
}

/** What a script asked for may be answered after the next sign-in, whose cookie it must not take away. */
function isNavigation({ headers }: Request): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === undefined || destination === 'document';
}
