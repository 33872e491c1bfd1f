import { isVisibleText, toVisibleText } from './visible-text';

describe('text that people see all of', () => {
  it.each([
    'Field notes',
    'Ключ 3',
    '日本語',
    '한국어',
    'नोट्स',
    'می\u200cخواهم',
    'été',
    'e\u0301te\u0301',
    '👩‍🚀 Rockets',
    '👨‍👩‍👧‍👦',
    '☎️',
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    '+1!',
  ])('is %j', (text) => {
    expect(isVisibleText(text)).toBe(true);
    expect(toVisibleText(text)).toBe(text);
  });

  it.each([
    ['a zero-width space', 'Google\u200b', 'Google\ufffd'],
    ['a joiner between letters', 'Goo\u200dgle', 'Goo\ufffdgle'],
    ['a non-joiner between Latin letters', 'Goo\u200cgle', 'Goo\ufffdgle'],
    ['a soft hyphen', 'Goo\u00adgle', 'Goo\ufffdgle'],
    ['a byte order mark', '\ufeffGoogle', '\ufffdGoogle'],
    ['an override of direction', 'a\u202eb', 'a\ufffdb'],
    ['a variation selector by itself', 'Goo\ufe0fgle', 'Goo\ufffdgle'],
    ['a tag character', 'Google\u{e0067}', 'Google\ufffd'],
    ['a line separator', 'a\u2028b', 'a\ufffdb'],
    ['a grapheme joiner', 'a\u034fb', 'a\ufffdb'],
    ['an empty Braille pattern alone', '\u2800', '\ufffd'],
    ['a Hangul filler alone', '\u3164', '\ufffd'],
    ['a half-width Hangul filler alone', '\uffa0', '\ufffd'],
    ['Hangul jamo fillers alone', '\u115f\u1160', '\ufffd\ufffd'],
    ['spaces alone', ' \u00a0\u3000', '\ufffd'],
    ['a combining mark alone', '\u0301', '\ufffd'],
  ])('is none with %s', (_, text, shown) => {
    expect(isVisibleText(text)).toBe(false);
    expect(toVisibleText(text)).toBe(shown);
  });
});
