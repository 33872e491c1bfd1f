/**
 * Returns one line of JSON. Escapes what `JSON.stringify` leaves as it is: control characters and marks of direction,
 * which terminals obey, and the line breaks of Unicode, where readers such as Python's `splitlines` end a line.
 */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
