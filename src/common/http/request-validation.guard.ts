import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, invalidRequestError } from '../errors';
import { readJsonBody, type JsonBody } from './read-json-body';
import { routeContract } from './route-contract';
import { setValidatedInput } from './set-validated-input';
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
