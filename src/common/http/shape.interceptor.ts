import { CallHandler, ExecutionContext, Injectable, NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { ApiError, invalidRequest } from '../errors';
import { inputTypes } from './input-types';
import { DEFAULT_BODY_LIMIT, readJsonBody } from './read-json-body';
import { setInput } from './set-input';
import { validateInput } from './validate-input';

const BODY_LIMIT = 'http:body-limit';

/** A route that takes larger bodies than the default, in bytes. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

const MEDIA_TYPES = 'http:media-types';
const JSON_ALONE = ['application/json'];

/** A route whose answer exists as other media types beside application/json. */
export const AlsoProduces = (...types: string[]) => SetMetadata(MEDIA_TYPES, [...JSON_ALONE, ...types]);

const OWN_SHAPE = 'http:own-shape';

/** A route, or a controller's every route, that reads and checks its input by itself: other rules hold there. */
export const OwnShape = () => SetMetadata(OWN_SHAPE, true);

/**
 * The shape step of external-api.md §1's order of checks (406, 415, 413, 400), after the guards, so that no body
 * is read for a caller without a credential. Puts the validated DTO instances in place of body and query.
 */
@Injectable()
export class ShapeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    if (this.reflector.getAllAndOverride<boolean>(OWN_SHAPE, [context.getHandler(), context.getClass()]))
      return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const types = this.reflector.get<string[]>(MEDIA_TYPES, context.getHandler()) ?? JSON_ALONE;
    if (!request.accepts(types)) {
      throw new ApiError('not_acceptable', `This resource is available as ${types.join(' or ')}.`);
    }
    const takesBody = request.method !== 'GET' && request.method !== 'HEAD';
    const limit = this.reflector.get<number>(BODY_LIMIT, context.getHandler()) ?? DEFAULT_BODY_LIMIT;
    const given = takesBody ? await readJsonBody(request, response, limit) : {};

    const input = inputTypes(context);
    const body = await validateInput('body', input.body, given);
    const query = await validateInput('query', input.query, request.query);
    const faults = [...query.faults, ...body.faults];
    if (faults.length > 0) throw invalidRequest(faults);

    setInput(request, body.value, query.value);
    return next.handle();
  }
}
