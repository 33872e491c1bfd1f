import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, invalidRequestError } from '../errors';
import { readJsonBody, type JsonBody } from './read-json-body';
import { routeContract } from './route-contract';
import { getNulFields } from './text-fields';
import { validateInput, validateQuery } from './validate-input';

const NO_BODY: JsonBody = { value: {}, textViolations: [] };

/**
 * Validates the request: the last step in docs/protocol/external-api.md#order-of-checks (406, 415, 413, 400). Runs
 * after all other guards, so that bodies of unauthenticated callers aren't read. Replaces body and query by validated
 * DTO instances.
 */
@Injectable()
export class RequestValidationGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const { skipsValidation, produces, bodyLimits, inputTypes } = routeContract.get(context);
    if (skipsValidation) return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.accepts(produces)) {
      throw new ApiError('not_acceptable', `This resource is available as ${produces.join(' or ')}.`);
    }
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    const response = context.switchToHttp().getResponse<Response>();
    const nulFields = getNulFields(inputTypes.body);
    const rawBody = hasBody ? await readJsonBody(request, response, bodyLimits, nulFields) : NO_BODY;

    const body = await validateInput('body', inputTypes.body, rawBody.value, rawBody.textViolations);
    const query = await validateQuery(inputTypes.query, request);
    const violations = [...query.violations, ...body.violations];
    if (violations.length > 0) throw invalidRequestError(violations);

    setValidatedInput(request, body.value, inputTypes.query && query.value);
    return true;
  }
}

/**
 * Replaces the body and query of a request by the validated input, and NUL in its path parameters by U+FFFD.
 * @param query undefined for routes without query parameters: Express defines `query` as a getter, and an own property
 *   that shadows it slows down all other accesses to the request
 */
export function setValidatedInput(request: Request, body: unknown, query: unknown): void {
  for (const [name, value] of Object.entries(request.params)) request.params[name] = replaceNul(value);
  request.body = body;
  if (query !== undefined) Object.defineProperty(request, 'query', { value: query });
}

/** PostgreSQL fails on text with NUL. With U+FFFD instead, the lookup finds nothing, and the caller gets a 404. */
function replaceNul<T extends string | string[]>(value: T): T {
  return (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value) as T;
}
