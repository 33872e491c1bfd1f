/** A shell line as far as it can be read without running it. */
export interface ShellLine {
  words: string[];
  /**
   * Whether the line is one command whose words are known: no operator, expansion, comment or second line. What follows
   * `-c` of a shell is read instead of the shell.
   */
  isPlain: boolean;
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish']);
/** Where a shell is the one that its name says. */
const SHELL_FOLDERS = ['', '/bin/', '/usr/bin/'];
/** Operators, line breaks, expansions of variables, commands, file names and braces, histories and comments. */
const NOT_PLAIN = /[|&;<>()`$*?[\]{}!#~\n\r]/;
const NOT_PLAIN_IN_QUOTES = /[`$\\!]/;
const SEPARATORS = /[\s|&;<>()`$]+/;
/** Programs that run the command that follows them. */
const WRAPPERS = new Set(
  'builtin chroot command doas env eval exec ionice nice nohup setsid stdbuf sudo time timeout xargs'.split(' '),
);

/** @param command a line for a shell, or the words of a command */
export function readShellLine(command: string | readonly string[]): ShellLine {
  const line = typeof command === 'string' ? splitLine(command.trim()) : { words: [...command], isPlain: true };
  return (line.isPlain && readInnerLine(line.words)) || line;
}

const getProgramName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/**
 * Returns the line that a shell is told to run. It isn't plain behind other options, or if the shell is in another
 * folder.
 */
function readInnerLine([program = '', ...args]: readonly string[]): ShellLine | undefined {
  if (!SHELLS.has(getProgramName(program))) return undefined;
  const index = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const text = args[index + 1];
  if (index === -1 || text === undefined) return undefined;
  const line = readShellLine(text);
  const isKnownShell = SHELL_FOLDERS.includes(program.slice(0, -getProgramName(program).length));
  return { ...line, isPlain: line.isPlain && isKnownShell && index === 0 };
}

function splitLine(text: string): ShellLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of text) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (quote === '"' && NOT_PLAIN_IN_QUOTES.test(character)) return splitLoosely(text);
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === '\\' || NOT_PLAIN.test(character)) {
      return splitLoosely(text);
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) return splitLoosely(text);
  if (word !== undefined) words.push(word);
  return { words, isPlain: words.length > 0 };
}

/** Returns all words that the line may have, without its quotes and escapes. */
const splitLoosely = (text: string): ShellLine => ({
  words: text
    .replace(/["'\\]/g, '')
    .split(SEPARATORS)
    .filter((word) => word !== ''),
  isPlain: false,
});

/** Returns whether the line is one plain command that begins with these words, letter for letter. */
export const isExactCommand = ({ words, isPlain }: ShellLine, ruleWords: readonly string[] = []): boolean =>
  isPlain && ruleWords.every((word, index) => word === words[index]);

/**
 * Returns whether the line may run a command of these words: with other options between or before them, by another path
 * of the program, behind programs such as `sudo`, or anywhere in a line that isn't plain.
 */
export function mayBeCommand({ words, isPlain }: ShellLine, ruleWords: readonly string[]): boolean {
  const isWrapped = WRAPPERS.has(getProgramName(words[0] ?? '')) || /^\w+=/.test(words[0] ?? '');
  const starts = isPlain && !isWrapped ? 1 : words.length;
  for (let start = 0; start < starts; start++) if (beginsLike(words.slice(start), ruleWords)) return true;
  return false;
}

function beginsLike([program = '', ...args]: readonly string[], [first = '', ...rest]: readonly string[]): boolean {
  if (program !== first && getProgramName(program) !== first) return false;
  const options = rest.filter(isOption);
  return options.every((option) => args.some((arg) => isSameOption(arg, option))) && hasOperands(args, rest);
}

/** Returns whether the first operands are those of the rule. A word after an option may be the option's value. */
function hasOperands(args: readonly string[], ruleWords: readonly string[]): boolean {
  let index = 0;
  for (const operand of ruleWords.filter((word) => !isOption(word))) {
    while (index < args.length && args[index] !== operand) {
      if (!isOption(args[index]!) && !isOption(args[index - 1] ?? '')) return false;
      index++;
    }
    if (index++ === args.length) return false;
  }
  return true;
}

const isOption = (word: string): boolean => word.startsWith('-');

/** `--force=x` is `--force`. */
const isSameOption = (arg: string, option: string): boolean => arg === option || arg.startsWith(`${option}=`);
