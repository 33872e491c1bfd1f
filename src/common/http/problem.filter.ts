import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, notFound, PROBLEM_MEDIA_TYPE, toProblem } from '../errors';
import type { RouteTable } from './route-table';

/** An answer kept from an earlier call, sent again as it was (Idempotency-Key). */
export class StoredProblem extends Error {
  constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Record<string, string>,
  ) {
    super('stored problem');
  }
}

/** Port: a part of the service that shows its refusals in a form of its own; true when it has answered. */
export type Presenter = (error: ApiError, request: Request, response: Response) => boolean;

/** Everything that is thrown becomes problem+json; what is not an ApiError tells nothing but its request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly publicUrl: string,
    private readonly routes: RouteTable,
    private readonly isUnavailable: (error: unknown) => boolean,
    private readonly refusalFor: (error: unknown) => ApiError | null,
    private readonly present: Presenter = () => false,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (thrown instanceof StoredProblem) {
      this.send(response, thrown.status, thrown.headers, thrown.body);
      return;
    }
    const error = this.toApiError(thrown, request);
    if (this.present(error, request, response)) return;
    const problem = toProblem(error, this.publicUrl, request.id);
    this.send(response, error.status, error.extras.headers ?? {}, problem);
  }

  private send(response: Response, status: number, headers: Record<string, string>, body: object): void {
    response.status(status).set(headers).setHeader('Content-Type', PROBLEM_MEDIA_TYPE);
    response.end(JSON.stringify(body));
  }

  private toApiError(thrown: unknown, request: Request): ApiError {
    if (thrown instanceof ApiError) return thrown;
    // The router's own refusals: no route, or a path that cannot be decoded.
    if (thrown instanceof HttpException && thrown.getStatus() === 404) return this.noRoute(request);
    if (thrown instanceof URIError || (thrown as { status?: number })?.status === 400) return notFound();
    if (this.isUnavailable(thrown)) return this.unavailable(request, thrown);
    const refusal = this.refusalFor(thrown);
    if (refusal) return refusal;
    this.logger.error({ requestId: request.id, err: thrown }, 'unexpected error');
    return new ApiError('internal_error', 'Something went wrong here. Quote the request id when asking for help.');
  }

  /** What the service stands on is away; that passes, and nothing was promised. */
  private unavailable(request: Request, thrown: unknown): ApiError {
    this.logger.warn({ requestId: request.id, reason: (thrown as Error).message }, 'unavailable');
    return new ApiError('service_unavailable', 'The service cannot reach its database. Try again.', {
      // A commit whose answer was lost may have happened.
      members: { outcome: 'unknown' },
      headers: { 'Retry-After': '5' },
    });
  }

  private noRoute(request: Request): ApiError {
    const methods = this.routes.methodsAt(request.path);
    if (methods.length === 0) return notFound('path');
    return new ApiError('method_not_allowed', `This path takes ${methods.join(', ')}.`, {
      headers: { Allow: methods.join(', ') },
    });
  }
}
