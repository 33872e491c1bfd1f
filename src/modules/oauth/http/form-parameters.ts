import { InvalidRequestError } from './oauth-error';

/** Parameters of an `application/x-www-form-urlencoded` text: each name with its first two values, as bytes. */
export type FormParameters = ReadonlyMap<string, readonly Buffer[]>;

/**
 * Parses a form body or a query, decoded as latin1 so that each character is a byte. Preserves the bytes, so that
 * `state` is returned byte for byte. A parameter without a value counts as omitted (RFC 6749 §3.1, §3.2).
 */
export function parseFormParameters(text: string): FormParameters {
  const parameters = new Map<string, Buffer[]>();
  for (const pair of text.split('&')) {
    const [name, value] = splitPair(pair);
    if (value === '') continue;
    const key = decodeFormBytes(name).toString();
    const values = parameters.get(key);
    if (!values) parameters.set(key, [decodeFormBytes(value)]);
    // Two values are enough to detect a repetition, and limit the copies of a large body.
    else if (values.length === 1) values.push(decodeFormBytes(value));
  }
  return parameters;
}

/** Returns the parameter's bytes, or null when it is missing or repeated. */
export function getParameterBytes(formParameters: FormParameters, name: string): Buffer | null {
  const values = formParameters.get(name);
  return values?.length === 1 ? values[0]! : null;
}

/** Returns the parameter as text, or null when it is missing or repeated. */
export function getParameterText(formParameters: FormParameters, name: string): string | null {
  return getParameterBytes(formParameters, name)?.toString() ?? null;
}

/** @throws {InvalidRequestError} when the parameter is missing */
export function requireParameter(formParameters: FormParameters, name: string): string {
  const text = getParameterText(formParameters, name);
  if (text === null) throw new InvalidRequestError(`${name} is required.`);
  return text;
}

/** Returns the first of these names that is repeated (RFC 6749 §3.1, §3.2). */
export function findRepeatedParameter(formParameters: FormParameters, names: readonly string[]): string | null {
  return names.find((name) => (formParameters.get(name)?.length ?? 0) > 1) ?? null;
}

/** Percent-encodes every byte that is not unreserved (RFC 3986 §2.3). */
export function percentEncodeBytes(bytes: Buffer): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-._~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function splitPair(pair: string): [name: string, value: string] {
  const equalsIndex = pair.indexOf('=');
  return equalsIndex < 0 ? [pair, ''] : [pair.slice(0, equalsIndex), pair.slice(equalsIndex + 1)];
}

/** Decodes a form as the URL standard does: `+` is a space, and a `%` without two hex digits is a literal `%`. */
function decodeFormBytes(text: string): Buffer {
  const bytes = text
    .replace(/\+/g, ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
