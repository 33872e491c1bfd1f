import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isDatabaseUnavailable } from '../../persistence';
import { OAuthError, ServerError, TemporarilyUnavailable } from './oauth-error';

/** Whatever the endpoints throw becomes the JSON of RFC 6749 §5.2; never kept by a cache (§5.1). */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('OAuth');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = this.toOAuthError(thrown, request);
    response
      .status(error.status)
      .set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', ...error.headers })
      .json({ error: error.code, error_description: error.description });
  }

  private toOAuthError(thrown: unknown, request: Request): OAuthError {
    if (thrown instanceof OAuthError) return thrown;
    if (isDatabaseUnavailable(thrown)) {
      this.logger.warn({ requestId: request.id, reason: (thrown as Error).message }, 'unavailable');
      return new TemporarilyUnavailable();
    }
    this.logger.error({ requestId: request.id, err: thrown }, 'unexpected error');
    return new ServerError();
  }
}
