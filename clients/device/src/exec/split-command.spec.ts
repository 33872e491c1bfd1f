import { splitCommand } from './split-command';

describe('splitCommand', () => {
  it.each([
    ['cat', ['cat']],
    ['  a  b ', ['a', 'b']],
    [`say "two words" 'and "these"'`, ['say', 'two words', 'and "these"']],
    [`a"b c"d ''`, ['ab cd', '']],
    ['echo $HOME *', ['echo', '$HOME', '*']],
  ])('%s', (text, words) => expect(splitCommand(text)).toEqual(words));

  it.each(['', '  ', `''`, 'a "b'])('refuses %j', (text) => expect(() => splitCommand(text)).toThrow());
});
