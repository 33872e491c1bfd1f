import { formatCommandLine, isShellSign, splitCommandLine } from './command-line';

describe('a line that a person enters', () => {
  it.each([
    ['git status', ['git', 'status']],
    ['  a  b ', ['a', 'b']],
    [`say "two words" 'and "these"'`, ['say', 'two words', 'and "these"']],
    [`a"b c"d ''`, ['ab cd', '']],
    ['echo $HOME * | wc', ['echo', '$HOME', '*', '|', 'wc']],
    ['dir C:\\x', ['dir', 'C:\\x']],
    ['a\tb\nc', ['a', 'b', 'c']],
    ['', []],
  ])('is split without a shell: %j', (line, words) => expect(splitCommandLine(line)).toEqual({ words, problem: '' }));

  it.each([
    ['a "b', 'Close the quote ".'],
    [`a 'b "c`, `Close the quote '.`],
    [`'' a`, 'The command is empty.'],
    ['a '.repeat(258), 'A command has at most 256 arguments.'],
  ])('says why it can’t run: %j', (line, problem) => expect(splitCommandLine(line).problem).toBe(problem));

  it.each([
    ['|', true],
    ['&&', true],
    ['$HOME', true],
    ['*.ts', true],
    ['~/x', true],
    ['a|b', false],
    ['-la', false],
  ])('warns of what only a shell reads: %s', (word, isSign) => expect(isShellSign(word)).toBe(isSign));
});

describe('a command line that is shown', () => {
  it.each([
    [['ls', '-la'], 'ls -la'],
    [['echo', 'a b', ''], `echo 'a b' ''`],
    [['say', `it's`], `say 'it'\\''s'`],
    [['a\nb', '$HOME'], `'a\nb' '$HOME'`],
  ])('shows where arguments begin and end: %j', (words, line) => expect(formatCommandLine(words)).toBe(line));
});
