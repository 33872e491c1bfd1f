/**
 * Returns one line of JSON. Escapes the line breaks of Unicode that `JSON.stringify` leaves as they are: readers such
 * as Python's `splitlines` end a line there.
 */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
