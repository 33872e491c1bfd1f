import type { RequestFault } from '../errors';

/** RFC 6901: `name` under the pointer `parent`. */
export function jsonPointer(parent: string, name: string): string {
  return `${parent}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

/**
 * A name that every object has: `__proto__`, `constructor`, `toString`. No field is called so, and class-transformer
 * and class-validator pass over them in silence.
 */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

export function unknownName(place: 'body' | 'query', path: string): RequestFault {
  return place === 'body'
    ? { in: place, path, code: 'unknown_field', message: `${path} is not a field of this request.` }
    : { in: place, path, code: 'unknown_parameter', message: `${path} is not a parameter of this request.` };
}
