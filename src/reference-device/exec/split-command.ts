/**
 * `say "hello world"` → `['say', 'hello world']`: words apart by spaces, single or double quotes hold a word together.
 * Nothing else is special: no variables, no globs, no escapes.
 * @throws Error on an open quote or an empty command
 */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const char of text) {
    if (quote) {
      if (char === quote) quote = undefined;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (quote) throw new Error(`The quote ${quote} is never closed: ${text}`);
  if (word !== undefined) words.push(word);
  if (!words[0]) throw new Error('The command is empty.');
  return words;
}
