/** Rules for values of the service, of agents and of files, which may be anything. */

/** The latest time that a JavaScript date can represent. */
const MAX_TIME = 8_640_000_000_000_000;

export type JsonObject = Record<string, unknown>;

/** Returns the text on one line, so that it can't add lines to a message that contains it. */
export const toLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value is 1 to `maxLength` visible ASCII characters, as ids of the service and of keys are. */
export const isIdentifier = (value: unknown, maxLength = 128): value is string =>
  isText(value) && value.length <= maxLength && /^[\x21-\x7e]+$/.test(value);

export const isInteger = (value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;

/** Whether the value is a time in Unix ms. */
export const isTime = (value: unknown): value is number => isInteger(value, 0, MAX_TIME);

/** Whether the value is base64url of a 256-bit key. */
export const isKeyText = (value: unknown): value is string => isText(value) && /^[\w-]{43}$/.test(value);
