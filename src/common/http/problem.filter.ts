import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, notFoundError, PROBLEM_MEDIA_TYPE, toProblemDocument } from '../errors';
import type { RouteRegistry } from './route-registry';
import { compressResponse } from './server';

/** Stored problem response of an earlier call, sent again unchanged (Idempotency-Key). */
export class ReplayedProblemError extends Error {
  constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Record<string, string>,
  ) {
    super('replayed problem');
  }
}

/** Port for modules that render errors in their own format. Returns true if it has sent the response. */
export type ErrorPresenter = (error: ApiError, request: Request, response: Response) => boolean;

/**
 * Returns whether a response had started before its request failed: by its handler, or by the handler of malformed
 * requests (server/client-error-handler.ts). Destroys an incomplete response.
 */
export function abortStartedResponse(response: Response): boolean {
  if (response.headersSent && !response.writableEnded) response.destroy();
  return response.headersSent;
}

/** Whether the credential of a call could not be looked up. Nothing of the call has run then. */
function isCallerUnknown({ operationId, principal }: Request & { principal?: object }): boolean {
  // Routes without a credential have no operation here.
  return operationId !== undefined && principal === undefined;
}

/** Turns all errors into problem+json. For errors other than ApiError the response has the request id only. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly publicUrl: string,
    private readonly routeRegistry: RouteRegistry,
    private readonly isUnavailable: (error: unknown) => boolean,
    private readonly mapKnownError: (error: unknown) => ApiError | null,
    private readonly presentError: ErrorPresenter = () => false,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (abortStartedResponse(response)) return;
    if (thrown instanceof ReplayedProblemError) {
      this.sendProblem(response, thrown.status, thrown.headers, thrown.body);
      return;
    }
    const error = this.toApiError(thrown, request);
    if (this.presentError(error, request, response)) return;
    const problemDocument = toProblemDocument(error, this.publicUrl, request.id);
    this.sendProblem(response, error.status, error.extras.headers ?? {}, problemDocument);
  }

  private sendProblem(response: Response, status: number, headers: Record<string, string>, body: object): void {
    // Logged with the request.
    response.locals.code = (body as { code?: unknown }).code;
    response.status(status).set(headers).setHeader('Content-Type', PROBLEM_MEDIA_TYPE);
    compressResponse(response);
    response.end(JSON.stringify(body));
  }

  private toApiError(thrown: unknown, request: Request): ApiError {
    if (thrown instanceof ApiError) return thrown;
    // Errors of the router: unknown route, or a path that can't be decoded.
    if (thrown instanceof HttpException && thrown.getStatus() === 404) return this.createNoRouteError(request);
    if (thrown instanceof URIError || (thrown as { status?: number })?.status === 400) return notFoundError('path');
    if (this.isUnavailable(thrown)) return this.createUnavailableError(request, thrown);
    const knownError = this.mapKnownError(thrown);
    if (knownError) return knownError;
    this.logger.error({ requestId: request.id, err: thrown }, 'unexpected error');
    return new ApiError('internal_error', 'Something went wrong here. Quote the request id when asking for help.');
  }

  private createUnavailableError(request: Request, thrown: unknown): ApiError {
    this.logger.warn({ requestId: request.id, reason: (thrown as Error).message }, 'database unavailable');
    return new ApiError('service_unavailable', 'The service cannot reach its database. Try again.', {
      // The transaction may have committed even if the database's response was lost.
      members: { outcome: isCallerUnknown(request) ? 'not_delivered' : 'unknown' },
      headers: { 'Retry-After': '5' },
    });
  }

  private createNoRouteError(request: Request): ApiError {
    const methods = this.routeRegistry.listMethodsAt(request.path);
    if (methods.length === 0) return notFoundError('path');
    return new ApiError('method_not_allowed', `This path supports ${methods.join(', ')}.`, {
      headers: { Allow: methods.join(', ') },
    });
  }
}
