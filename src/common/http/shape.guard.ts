import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, invalidRequest } from '../errors';
import { readJsonBody } from './read-json-body';
import { shapeOf } from './route-shape';
import { setInput } from './set-input';
import { validateInput } from './validate-input';

/**
 * The shape step of external-api.md §1's order of checks (406, 415, 413, 400), last of the guards, so that no body
 * is read for a caller without a credential. Puts the validated DTO instances in place of body and query.
 */
@Injectable()
export class ShapeGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const { isOwn, produces, bodyLimit, input } = shapeOf(context);
    if (isOwn) return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.accepts(produces)) {
      throw new ApiError('not_acceptable', `This resource is available as ${produces.join(' or ')}.`);
    }
    const takesBody = request.method !== 'GET' && request.method !== 'HEAD';
    const response = context.switchToHttp().getResponse<Response>();
    const given = takesBody ? await readJsonBody(request, response, bodyLimit) : {};

    const body = await validateInput('body', input.body, given);
    const query = await validateInput('query', input.query, request.query);
    const faults = [...query.faults, ...body.faults];
    if (faults.length > 0) throw invalidRequest(faults);

    setInput(request, body.value, input.query && query.value);
    return true;
  }
}
