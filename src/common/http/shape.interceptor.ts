import { CallHandler, ExecutionContext, Injectable, NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { ApiError, invalidRequest } from '../errors';
import { inputTypes } from './input-types';
import { DEFAULT_BODY_LIMIT, readJsonBody } from './read-json-body';
import { validateInput } from './validate-input';

const BODY_LIMIT = 'http:body-limit';

/** A route that takes larger bodies than the default, in bytes. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

/**
 * The shape step of external-api.md §1's order of checks (406, 415, 413, 400), after the guards, so that no body
 * is read for a caller without a credential. Puts the validated DTO instances in place of body and query.
 */
@Injectable()
export class ShapeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (!request.accepts('application/json')) {
      throw new ApiError('not_acceptable', 'This resource is available as application/json.');
    }
    const takesBody = request.method !== 'GET' && request.method !== 'HEAD';
    const limit = this.reflector.get<number>(BODY_LIMIT, context.getHandler()) ?? DEFAULT_BODY_LIMIT;
    const given = takesBody ? await readJsonBody(request, response, limit) : {};

    const types = inputTypes(context);
    const body = await validateInput('body', types.body, given);
    const query = await validateInput('query', types.query, request.query);
    const faults = [...query.faults, ...body.faults];
    if (faults.length > 0) throw invalidRequest(faults);

    for (const [name, value] of Object.entries(request.params)) request.params[name] = withoutNul(value);
    request.body = body.value;
    Object.defineProperty(request, 'query', { value: query.value });
    return next.handle();
  }
}

/** PostgreSQL's text cannot hold NUL and fails on it; a name with U+FFFD in its place is as unknown as it should be. */
function withoutNul<T extends string | string[]>(value: T): T {
  return (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value) as T;
}
