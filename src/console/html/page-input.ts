import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, invalidRequest } from '../../common/errors';
import { setInput, shapeOf, validateInput } from '../../common/http';
import { readForm } from './read-form';

/**
 * The shape of a page's input: HTML is answered, forms are taken, which their handler judges so that it can show them
 * again, and parameters that others have added to the address do no harm.
 * @throws ApiError 406, 415, 413, 400
 */
export async function readPageInput(context: ExecutionContext): Promise<void> {
  const request = context.switchToHttp().getRequest<Request>();
  const response = context.switchToHttp().getResponse<Response>();
  if (!request.accepts('text/html')) {
    throw new ApiError('not_acceptable', 'This page is available as text/html.');
  }
  const form = isSafe(request) ? {} : await readForm(request, response);
  const { input } = shapeOf(context);
  const query = await validateInput('query', input.query, request.query);
  const faults = query.faults.filter(({ code }) => code !== 'unknown_parameter');
  if (faults.length > 0) throw invalidRequest(faults);
  setInput(request, form, input.query && query.value);
}

/** It only shows something (RFC 9110 §9.2.1). */
export function isSafe({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}
