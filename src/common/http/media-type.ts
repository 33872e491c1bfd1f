import type { NextFunction, Request, Response } from 'express';

/**
 * Returns whether a `Content-Type` names this media type and no charset other than UTF-8. Ignores empty and unknown
 * parameters, which have no effect (RFC 9110 §5.6.6, RFC 8259 §11). Many clients write `utf8`, some in single quotes.
 */
export function isUtf8MediaType(contentType: string, mediaType: string): boolean {
  const [type = ''] = contentType.split(';', 1);
  if (type.trim().toLowerCase() !== mediaType) return false;
  return splitUnquoted(contentType.slice(type.length), ';').every((parameter) => {
    const [name = '', ...value] = parameter.toLowerCase().split('=');
    return name.trim() !== 'charset' || /^('?)utf-?8\1$/.test(value.join('=').trim());
  });
}

/**
 * Drops the parameters of an `Accept` header but its weights. The media types of responses have none, so that a range
 * with one, such as `application/json; charset=utf-8`, would match nothing.
 */
export function ignoreAcceptParameters({ headers }: Request, _: Response, next: NextFunction): void {
  if (headers.accept?.includes(';')) headers.accept = dropParameters(headers.accept);
  next();
}

function dropParameters(accept: string): string {
  const ranges = splitUnquoted(accept, ',').map((range) => {
    const [type, ...parameters] = splitUnquoted(range, ';');
    return [type, ...parameters.filter((parameter) => /^\s*q\s*=/i.test(parameter))].join(';');
  });
  return ranges.join(',');
}

/** Splits at a separator outside of quoted strings (RFC 9110 §5.6.4), which lose their quotes and escapes. */
function splitUnquoted(text: string, separator: ',' | ';'): string[] {
  const parts = [''];
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const isEscape = isQuoted && text[index] === '\\';
    if (!isEscape && text[index] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text[index] === separator) parts.push('');
    else parts[parts.length - 1] += text[isEscape ? ++index : index] ?? '';
  }
  return parts;
}
