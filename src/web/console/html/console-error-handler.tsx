import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LoginCookie } from '../../../access/auth';
import type { ApiError } from '../../../common/errors';
import { compressResponse } from '../../../common/http';
import { buildSignInPath } from '../login/return-path';
import { HtmlPage } from './html-page';
import { setPageHeaders } from './page-headers';
import { isSafeMethod } from './page-input';
import { renderConsolePage } from './render-console-page';

/** Renders errors under `/console` as pages for browsers. Scripts that accept JSON receive problem+json. */
@Injectable()
export class ConsoleErrorHandler {
  constructor(private readonly cookie: LoginCookie) {}

  /** Returns false if the request is not for a console page. */
  handleError(error: ApiError, request: Request, response: Response): boolean {
    if (!/^\/console(\/|$)/i.test(request.path)) return false;
    if (request.accepts(['text/html', 'application/json']) !== 'text/html') return false;
    const isUnauthenticated = error.status === 401;
    if (isUnauthenticated && isNavigation(request) && this.cookie.readToken(request) !== null)
      this.cookie.clearToken(response);
    if (isUnauthenticated && isSafeMethod(request)) {
      response.status(303).set('Cache-Control', 'no-store').location(buildSignInPath(request.originalUrl)).end();
      return true;
    }
    this.sendErrorPage(error, request, response);
    return true;
  }

  private sendErrorPage(error: ApiError, request: Request, response: Response): void {
    const { 'WWW-Authenticate': _, ...headers } = error.extras.headers ?? {};
    setPageHeaders(response);
    response.status(error.status).set(headers);
    // A 401 means that no one is signed in anymore.
    const viewer = error.status === 401 ? null : (request.viewer ?? null);
    compressResponse(response);
    response.end(renderConsolePage(createConsoleErrorPage(error, request), viewer, request.path));
  }
}

/** A script's response may arrive after the next sign-in, so only navigations may clear the cookie. */
function isNavigation({ headers }: Request): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === undefined || destination === 'document';
}

interface ErrorText {
  heading: string;
  /** Replaces the error's detail. */
  text?: string;
}

const ERROR_TEXTS: Record<number, ErrorText> = {
  401: {
    heading: 'You are signed out',
    text: 'Your login has expired. Nothing was changed. Sign in and try again.',
  },
  403: { heading: 'Access denied' },
  404: { heading: 'Page not found', text: 'The address is wrong, or the page no longer exists.' },
  405: { heading: 'This page can’t be opened this way', text: 'Open it from the console instead.' },
  429: { heading: 'Too many requests' },
  500: { heading: 'Something went wrong', text: 'The error is on our side. Try again in a moment.' },
  503: { heading: 'Temporarily unavailable' },
};

/** Returns the words for an error. The object of an action may be gone although its page was there. */
function findErrorText(error: ApiError, request: Request): ErrorText {
  if (error.status === 404 && !isSafeMethod(request)) {
    return { heading: error.title, text: `${error.detail} It may have been deleted or revoked in the meantime.` };
  }
  return ERROR_TEXTS[error.status] ?? { heading: error.title };
}

/** Builds the page that explains an error and links to the next step. */
function createConsoleErrorPage(error: ApiError, request: Request): HtmlPage {
  const { heading, text } = findErrorText(error, request);
  const content = (
    <section class="card">
      <p class="eyebrow">{`Error ${error.status}`}</p>
      <h1>{heading}</h1>
      <p>{text ?? error.detail}</p>
      <p>
        {error.status === 401 ? (
          <a class="button" href="/console/sign-in">
            Sign in
          </a>
        ) : (
          <a class="button secondary" href="/console">
            Go to the console
          </a>
        )}
      </p>
      <p class="fine">
        Request <code>{request.id}</code>
      </p>
    </section>
  );
  return new HtmlPage(content, { title: heading, isNarrow: true });
}
