import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError } from '../../../common/errors';
import { abortStartedResponse } from '../../../common/http';
import { isDatabaseUnavailable } from '../../../core/database';
import { OAuthError, OAuthServerError, TemporarilyUnavailableError } from './oauth-error';

/** Converts exceptions of the OAuth endpoints to RFC 6749 §5.2 JSON. Responses are never cached (§5.1). */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('OAuth');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (abortStartedResponse(response)) return;
    const error = this.toOAuthError(thrown, request);
    response
      .status(error.status)
      .set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', ...error.headers })
      .type('json')
      // Express would add an ETag.
      .end(JSON.stringify({ error: error.code, error_description: error.description }));
  }

  private toOAuthError(thrown: unknown, request: Request): OAuthError {
    if (thrown instanceof OAuthError) return thrown;
    if (thrown instanceof ApiError && thrown.status === 503) return new TemporarilyUnavailableError();
    if (isDatabaseUnavailable(thrown)) {
      this.logger.warn({ requestId: request.id, reason: (thrown as Error).message }, 'database unavailable');
      return new TemporarilyUnavailableError();
    }
    this.logger.error({ requestId: request.id, err: thrown }, 'unexpected error');
    return new OAuthServerError();
  }
}
