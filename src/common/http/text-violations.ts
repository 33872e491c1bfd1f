import { unescape } from 'node:querystring';
import type { RequestViolation } from '../errors';
import type { RequestPart } from './dto-instance';
import { appendJsonPointer } from './unknown-name';

/**
 * Returns why a text can't be carried unchanged: UTF-8 has no lone surrogates, and neither PostgreSQL nor the arguments
 * of a process have U+0000.
 */
export function findTextViolation(
  part: RequestPart,
  path: string,
  text: string,
  allowsNul = false,
): RequestViolation | null {
  if (!text.isWellFormed()) {
    return { in: part, path, code: 'invalid_format', message: `${path} must not contain half of a surrogate pair.` };
  }
  return text.includes('\0') && !allowsNul
    ? { in: part, path, code: 'invalid_format', message: `${path} must not contain U+0000.` }
    : null;
}

/** Returns the parameters of a request target that aren't percent-encoded UTF-8, and that a decoder would alter. */
export function findMisencodedParameters(target: string): RequestViolation[] {
  const start = target.indexOf('?');
  if (start < 0) return [];
  return target
    .slice(start + 1)
    .split('&')
    .filter((pair) => !isPercentEncodedUtf8(pair))
    .map((pair) => {
      const path = appendJsonPointer('', unescape(pair.split('=', 1)[0]!.replaceAll('+', ' ')));
      return { in: 'query', path, code: 'invalid_format', message: `${path} is not percent-encoded UTF-8.` };
    });
}

/** Returns whether the percent-encoded bytes of a form or a part of it are UTF-8. A lone `%` is literal. */
export function isPercentEncodedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}
