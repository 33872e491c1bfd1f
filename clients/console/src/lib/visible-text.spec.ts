import { shortenId, showInvisibleCharacters } from './visible-text';

describe('text of strangers', () => {
  it.each([
    ['rm -rf \u202e/tmp', 'rm -rf \\u{202e}/tmp'],
    ['a\u200bb\u2066c\ufeff', 'a\\u{200b}b\\u{2066}c\\u{feff}'],
    ['\u001b[31mred\u0007', '\\u{1b}[31mred\\u{7}'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['one\r\ntwo\rthree', 'one\ntwo\\u{d}three'],
    ['שלום, größer, 👩‍💻 ⚠️', 'שלום, größer, 👩‍💻 ⚠️'],
    ['a\u115fb\u3164c\u2800d\ufe0f', 'a\\u{115f}b\\u{3164}c\\u{2800}d\\u{fe0f}'],
    ['tab\tline\n', 'tab\tline\n'],
  ])('shows what is invisible in it: %j', (text, visible) => {
    expect(showInvisibleCharacters(text)).toBe(visible);
  });
});

describe('a shortened id', () => {
  it('keeps its beginning and its end', () => {
    expect(shortenId('ses_01m7abcdefghijklmnopqr4k2q')).toBe('ses_01m7…4k2q');
    expect(shortenId('k1')).toBe('k1');
  });
});
