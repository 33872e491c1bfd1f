/**
 * Splits `say "hello world"` into `['say', 'hello world']`: at spaces, with single or double quotes around arguments
 * that contain spaces. Variables, globs and escapes are not supported.
 * @throws Error on an open quote or an empty command
 */
export function splitCommand(text: string): string[] {
  const segments: string[] = [];
  let segment: string | undefined;
  let quote: string | undefined;
  for (const character of text) {
    if (quote) {
      if (character === quote) quote = undefined;
      else segment += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      segment ??= '';
    } else if (/\s/.test(character)) {
      if (segment !== undefined) segments.push(segment);
      segment = undefined;
    } else {
      segment = (segment ?? '') + character;
    }
  }
  if (quote) throw new Error(`The quote ${quote} is not closed: ${text}`);
  if (segment !== undefined) segments.push(segment);
  if (!segments[0]) throw new Error('The command is empty.');
  return segments;
}
