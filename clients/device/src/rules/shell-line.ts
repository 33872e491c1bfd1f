/** A shell line as far as it can be read without running it. */
export interface ShellLine {
  words: string[];
  /**
   * Whether the line is one command whose words are known: no operator, expansion, comment or second line, and no word
   * that a program may run as a line. What follows `-c` of a shell is read instead of the shell.
   */
  isPlain: boolean;
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish']);
/** Where a shell is the one that its name says. */
const SHELL_FOLDERS = ['', '/bin/', '/usr/bin/'];
/** Options of a shell whose next word is the line, and which change nothing about it. */
const LINE_OPTION = /^-[efilux]*c$/;
/** Operators, line breaks, expansions of variables, commands, file names and braces, histories and comments. */
const NOT_PLAIN = /[|&;<>()`$*?[\]{}!#~\n\r]/;
const NOT_PLAIN_IN_QUOTES = /[`$\\!]/;
const SEPARATORS = /[\s|&;<>()`$]+/;
/** Programs that run the command that follows them. */
const WRAPPERS = new Set(
  (
    'builtin busybox chroot chrt command doas env eval exec flock ionice nice nohup nsenter parallel pkexec runuser ' +
    'setpriv setsid stdbuf strace su sudo systemd-run taskset time timeout toybox unshare watch xargs'
  ).split(' '),
);
/** Programs that run one of their words as a line, and what this word, or one before it, looks like. */
const LINE_RUNNERS: [programs: Set<string>, sign: RegExp][] = [
  [new Set([...SHELLS, ...'ash csh flock mksh rbash runuser script su tcsh'.split(' ')]), /^[-+]\w*c|^--command/],
  [new Set(['eval', 'parallel', 'watch']), SEPARATORS],
  [new Set(['env']), /^-\w*S|^--s/],
];

/** @param command a line for a shell, or the words of a command */
export function readShellLine(command: string | readonly string[]): ShellLine {
  const line = typeof command === 'string' ? splitLine(command.trim()) : { words: [...command], isPlain: true };
  if (!line.isPlain) return line;
  return readInnerLine(line.words) ?? (mayRunLine(line.words) ? splitLoosely(line.words.join(' ')) : line);
}

const getProgramName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/** Returns the line that a shell is told to run. It isn't plain if the shell is in another folder. */
function readInnerLine([program = '', option = '', text]: readonly string[]): ShellLine | undefined {
  const name = getProgramName(program);
  if (!SHELLS.has(name) || !LINE_OPTION.test(option) || text === undefined || /^[-+]/.test(text)) return undefined;
  const line = readShellLine(text);
  return { ...line, isPlain: line.isPlain && SHELL_FOLDERS.includes(program.slice(0, -name.length)) };
}

/** Returns whether a shell, or another program that takes lines, may run one of the words behind it as a line. */
function mayRunLine(words: readonly string[]): boolean {
  const isWrapped = startsWrapped(words);
  return LINE_RUNNERS.some(([programs, sign]) => {
    const index = words.findIndex(
      (word, each) =>
        programs.has(getProgramName(word)) && (each === 0 || isWrapped || isOption(words[each + 1] ?? '')),
    );
    return index !== -1 && words.slice(index + 1).some((word) => sign.test(word));
  });
}

/** Returns whether the first word is no command, but runs or precedes one. */
const startsWrapped = ([first = '']: readonly string[]): boolean =>
  WRAPPERS.has(getProgramName(first)) || /^\w+=/.test(first);

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
  const [program = '', ...rest] = ruleWords;
  const isProgram = (word: string): boolean => word === program || getProgramName(word) === program;
  const starts = isPlain && !startsWrapped(words) ? 1 : words.length;
  for (let start = 0; start < starts; start++)
    if (isProgram(words[start]!) && beginsLike(words.slice(start + 1), rest)) return true;
  return false;
}

function beginsLike(args: readonly string[], rest: readonly string[]): boolean {
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
