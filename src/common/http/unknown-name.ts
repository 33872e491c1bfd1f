import type { RequestViolation } from '../errors';

/** Returns the JSON pointer (RFC 6901) of the member `name` of `parent`, with U+FFFD in place of lone surrogates. */
export function appendJsonPointer(parent: string, name: string): string {
  return `${parent}/${name.toWellFormed().replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

/**
 * Returns whether all objects inherit this name, such as `__proto__`, `constructor` or `toString`. class-transformer
 * and class-validator silently ignore such members, and DTOs have none.
 */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype;
}

export function unknownNameViolation(part: 'body' | 'query', path: string): RequestViolation {
  return part === 'body'
    ? { in: part, path, code: 'unknown_field', message: `${path} is not a field of this request.` }
    : { in: part, path, code: 'unknown_parameter', message: `${path} is not a parameter of this request.` };
}
