import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError } from '../../common/errors';
import { isDatabaseUnavailable } from '../../persistence';
import { UnsafeRedirect } from './authorization';
import { ERROR_PAGE_POLICY, errorPage, type ErrorPage } from './error-page';

/** What goes wrong before it is certain where to send the browser is told to the person in it (RFC 6749 §3.1.2.4). */
@Catch()
export class ErrorPageFilter implements ExceptionFilter {
  private readonly logger = new Logger('OAuth');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const { status, headers, ...page } = this.pageOf(thrown, request);
    response
      .status(status)
      .set({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': ERROR_PAGE_POLICY,
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        ...headers,
      })
      .send(errorPage({ ...page, requestId: request.id }));
  }

  private pageOf(
    thrown: unknown,
    request: Request,
  ): Omit<ErrorPage, 'requestId'> & { status: number; headers?: Record<string, string> } {
    if (thrown instanceof UnsafeRedirect) {
      return {
        status: 400,
        title: 'This sign-in link does not work',
        text: 'The app that sent you here made a mistake. Nothing was shared with it. Tell its makers this:',
        detail: thrown.message,
      };
    }
    if (thrown instanceof ApiError && thrown.status === 429) {
      const headers = thrown.extras.headers;
      return { status: 429, title: 'Too many requests', text: 'Wait a minute, then try again.', headers };
    }
    if (isDatabaseUnavailable(thrown)) {
      const headers = { 'Retry-After': '5' };
      return { status: 503, title: 'Not available now', text: 'Try again in a moment.', headers };
    }
    this.logger.error({ requestId: request.id, err: thrown }, 'unexpected error');
    return { status: 500, title: 'Something went wrong here', text: 'Try again in a moment.' };
  }
}
