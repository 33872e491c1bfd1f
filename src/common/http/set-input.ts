import type { Request } from 'express';

/**
 * Puts what was read and found good in place of body and query, and names that can be looked up in place of params.
 * @param query none of a route that takes no parameters: Express keeps its query behind a getter, and a property in
 *   front of that makes every other look at the request slower
 */
export function setInput(request: Request, body: unknown, query: unknown): void {
  for (const [name, value] of Object.entries(request.params)) request.params[name] = withoutNul(value);
  request.body = body;
  if (query !== undefined) Object.defineProperty(request, 'query', { value: query });
}

/** PostgreSQL's text cannot hold NUL and fails on it; a name with U+FFFD in its place is as unknown as it should be. */
function withoutNul<T extends string | string[]>(value: T): T {
  return (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value) as T;
}
