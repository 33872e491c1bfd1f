import { toMessageText } from '../agent/displayed-text';
import { LiveText } from './live-text';

const addAll = (chunks: string[]): string[] => {
  const text = new LiveText();
  return chunks.map((chunk) => text.addChunk(chunk));
};

it.each([
  ['words', ['Hello', ' world', '.\n']],
  ['line breaks between chunks', ['one\r', '\ntwo\r', '\rthree\r\n', 'four']],
  ['control and invisible characters', ['\u001b[31mred', '\u202e', '\u0000', '\ufeff', 'a\u00ad']],
  ['emoji of several characters', ['👩', '\u200d', '💻', '❤', '\ufe0f', '🇩', '🇪']],
  ['spelling characters', ['می\u200c', 'خواهم', '\u00a0!']],
  ['blanks before text', ['  ', '\n\t', ' a', '  ', 'b']],
])('parts of %s are the text of the message', (_, chunks) => {
  expect(addAll(chunks).join('')).toBe(toMessageText(chunks.join('')));
});

it('are returned at once, but for blanks at the beginning and half of a line break', () => {
  expect(addAll(['a', ' ', '\r', '\n', 'b'])).toEqual(['a', ' ', '', '\n', 'b']);
  expect(addAll([' ', '\n', '\ufeff', '  x'])).toEqual(['', '', '', ' \n\\u{feff}  x']);
});

it('end where the record leaves out the middle, without half a character', () => {
  const text = new LiveText();
  expect(text.addChunk('x'.repeat(262_143))).toHaveLength(262_143);
  expect(text.addChunk('😀y')).toBe('');
  expect(text.addChunk('z')).toBe('');
});
