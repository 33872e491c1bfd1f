import type { Request } from 'express';

/**
 * Returns the path of the operation with its ids. Idempotency keys are bound to it, so that the spelling of the
 * requested path does not matter.
 */
export function resolveOperationPath({ route, params }: Request): string {
  const { path } = route as { path: string };
  return path.replace(/:(\w+)/g, (_, name: string) => String(params[name]));
}
