import type { Request } from 'express';
import type { Principal } from '../auth';

/** Request with an `Idempotency-Key`. */
export interface IdempotentCall {
  caller: Principal;
  method: string;
  /** Path of the operation with its ids. */
  path: string;
  key: string;
  /** The validated input. */
  request: unknown;
  /** Id of this request, also if it repeats an earlier one. */
  requestId: string;
}

/** Returns null without a key. */
export function createIdempotentCall(
  caller: Principal,
  body: object,
  key: string | null,
  request: Request,
): IdempotentCall | null {
  if (key === null) return null;
  const path = resolveOperationPath(request);
  return { caller, method: request.method, path, key, request: body, requestId: request.id };
}

/**
 * Returns the path of the operation with its ids. Idempotency keys are bound to it, so that the spelling of the
 * requested path does not matter.
 */
function resolveOperationPath({ route, params }: Request): string {
  const { path } = route as { path: string };
  return path.replace(/:(\w+)/g, (_, name: string) => String(params[name]));
}
