export interface SplitCommandLine {
  /** Program and its arguments. */
  words: string[];
  /** Why the line can't be run; empty if it can. */
  problem: string;
}

/**
 * Splits a line at spaces. Single or double quotes hold a word with spaces together, and everything between them stays
 * as it is. There is no shell: variables, wildcards, pipes and backslashes have no meaning.
 */
export function splitCommandLine(line: string): SplitCommandLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of line) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return { words, problem: findProblem(words, quote) };
}

function findProblem(words: readonly string[], openQuote: string | undefined): string {
  if (openQuote !== undefined) return `Close the quote ${openQuote}.`;
  if (words[0] === '') return 'The command is empty.';
  return words.length > 257 ? 'A command has at most 256 arguments.' : '';
}

/** Signs that people expect a shell to read. */
const SHELL_SIGNS = /^(?:\||\|\||&&?|;|<|>>?|2>&1)$|^\$\w|^~\/|[*?]/;

/** Whether a word would mean something else in a shell. */
export const isShellSign = (word: string): boolean => SHELL_SIGNS.test(word);

/** Puts arguments into quotes where their borders would not be visible otherwise. */
export function formatCommandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
