import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, invalidRequestError } from '../../../common/errors';
import { setValidatedInput, routeContract, validateQuery } from '../../../common/http';
import { readPageForm } from './read-page-form';

/**
 * Reads and validates a page's input. Handlers validate forms themselves so that they can show them again. Unknown
 * query parameters, which other sites may add to links, are ignored.
 * @throws ApiError 406, 415, 413, 400
 */
export async function readPageInput(context: ExecutionContext): Promise<void> {
  const request = context.switchToHttp().getRequest<Request>();
  const response = context.switchToHttp().getResponse<Response>();
  if (!request.accepts('text/html')) {
    throw new ApiError('not_acceptable', 'This page is available as text/html.');
  }
  const form = isSafeMethod(request) ? {} : await readPageForm(request, response);
  const { inputTypes: input } = routeContract.get(context);
  const query = await validateQuery(input.query, request);
  const violations = query.violations.filter(({ code }) => code !== 'unknown_parameter');
  if (violations.length > 0) throw invalidRequestError(violations);
  setValidatedInput(request, form, input.query && query.value);
}

/** Returns whether the method is safe (RFC 9110 §9.2.1). */
export function isSafeMethod({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}
