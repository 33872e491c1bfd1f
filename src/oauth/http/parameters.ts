import { InvalidRequest } from './oauth-error';

/** What an `application/x-www-form-urlencoded` text holds: each name with its first two values, as bytes. */
export type Parameters = ReadonlyMap<string, readonly Buffer[]>;

/**
 * Reads a form body or a query, one character a byte (latin1). Bytes stay as they were sent, so that `state` goes back
 * byte for byte; a parameter without a value counts as left out (RFC 6749 §3.1, §3.2).
 */
export function parseParameters(text: string): Parameters {
  const parameters = new Map<string, Buffer[]>();
  for (const pair of text.split('&')) {
    const [name, value] = splitAt(pair);
    if (value === '') continue;
    const key = decode(name).toString();
    const values = parameters.get(key);
    if (!values) parameters.set(key, [decode(value)]);
    // Two say that it is repeated; a body of tens of thousands would cost as many copies.
    else if (values.length === 1) values.push(decode(value));
  }
  return parameters;
}

/** The parameter's bytes, null where it is missing or there more than once. */
export function bytesOf(parameters: Parameters, name: string): Buffer | null {
  const values = parameters.get(name);
  return values?.length === 1 ? values[0]! : null;
}

/** The parameter as text, null where it is missing or there more than once. */
export function textOf(parameters: Parameters, name: string): string | null {
  return bytesOf(parameters, name)?.toString() ?? null;
}

/** @throws InvalidRequest where it is missing */
export function requiredText(parameters: Parameters, name: string): string {
  const text = textOf(parameters, name);
  if (text === null) throw new InvalidRequest(`${name} is required.`);
  return text;
}

/** The first of these names that is there more than once (RFC 6749 §3.1, §3.2). */
export function repeatedOf(parameters: Parameters, names: readonly string[]): string | null {
  return names.find((name) => (parameters.get(name)?.length ?? 0) > 1) ?? null;
}

/** `%XX` for every byte that a query may not hold as it is (RFC 3986 §2.3). */
export function encodeBytes(bytes: Buffer): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-._~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function splitAt(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}

/** As the URL standard decodes a form: `+` is a space, and a `%` that begins no byte stands for itself. */
function decode(text: string): Buffer {
  const bytes = text
    .replace(/\+/g, ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
