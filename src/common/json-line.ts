/** Line breaks of Unicode that JSON leaves unescaped, at which readers such as Python's `splitlines` end a line. */
const LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** Escapes the line breaks of a JSON text, so that it is one line for every reader. Its value doesn't change. */
export function escapeLineBreaks(json: string): string {
  return json.replace(LINE_BREAKS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
