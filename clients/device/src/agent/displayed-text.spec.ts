import { expectLinearTime, measureCpu } from '../testing/cpu-time';
import { toBoundedText, toDisplayedLine, toDisplayedText, toDisplayedValue, toMessageText } from './displayed-text';

describe('displayed text', () => {
  it.each([
    ['text after an escape', 'ls \u001b]0;rm -rf /\u0007', 'ls \\u{1b}]0;rm -rf /\\u{7}'],
    ['colors', 'a\u001b[31mred\u009b0m', 'a\\u{1b}[31mred\\u{9b}0m'],
    ['backspaces', 'rm -rf /\b\bls', 'rm -rf /\\u{8}\\u{8}ls'],
    ['reversals of direction', 'a\u202egpj.exe\u2066b', 'a\\u{202e}gpj.exe\\u{2066}b'],
    ['marks of direction', '\u200e\u200f\u061c', '\\u{200e}\\u{200f}\\u{61c}'],
    ['carriage returns', 'safe\rrm\r\n', 'safe\\u{d}rm\\u{d}\n'],
    ['line separators', 'a\u2028b\u2029c\u0085', 'a\\u{2028}b\\u{2029}c\\u{85}'],
    ['zero-width characters', 'g\u200bi\u200ct\u200d\u2060\ufeff', 'g\\u{200b}i\\u{200c}t\\u{200d}\\u{2060}\\u{feff}'],
    ['fillers and selectors', '\u3164\u115f\u2800x\ufe0f', '\\u{3164}\\u{115f}\\u{2800}x\\u{fe0f}'],
    ['tags and soft hyphens', 'a\u{e0072}\u00ad', 'a\\u{e0072}\\u{ad}'],
    ['spaces that are none to a shell', 'rm\u00a0-rf\u2003x', 'rm\\u{a0}-rf\\u{2003}x'],
    ['lone surrogates', 'a\ud800b🙂', 'a\\u{d800}b🙂'],
  ])('shows %s', (_, text, displayed) => expect(toDisplayedText(text)).toBe(displayed));

  it('leaves tabs, line breaks, emoji and other scripts as they are', () => {
    const text = '\tif (x)\n  été 日本語\u3000👩‍🚀 👩🏽‍🚀 🏳️‍🌈 ❤️ 🏃‍♀️\n';
    expect(toDisplayedText(text)).toBe(text);
  });

  it('takes linear time', () => {
    expectLinearTime((count) => void toDisplayedText('a\u200d\u001b'.repeat(count)), 30_000);
  });
});

describe('a message', () => {
  it('has the joiners and spaces of its language, and shows terminal sequences and marks of direction', () => {
    const text = 'می\u200cخواهم \u00ab\u00a0oui\u00a0\u00bb\n';
    expect(toMessageText(text)).toBe(text);
    expect(toMessageText('one\r\n\u001b[1mtwo\u202e')).toBe('one\n\\u{1b}[1mtwo\\u{202e}');
  });
});

describe('a displayed line', () => {
  it('has no line breaks', () => {
    expect(toDisplayedLine(' Run\n\n tests\t ')).toBe('Run tests');
    expect(toDisplayedLine({ title: 'x' })).toBe('');
  });

  it('has 300 characters at most, and says how many are left out', () => {
    expect(toDisplayedLine('x'.repeat(300))).toBe('x'.repeat(300));
    expect(toDisplayedLine(`${'x'.repeat(300)}y`)).toBe(`${'x'.repeat(260)} [… 41 characters left out]`);
    expect(toDisplayedLine('🙂'.repeat(2_000_000)).length).toBeLessThanOrEqual(300);
  });

  it('does not hide text behind many spaces', () => {
    expect(toDisplayedLine(`ls${' '.repeat(100_000)}; rm -rf x`)).toBe('ls ; rm -rf x');
  });
});

it('truncates long text in the middle and says so', () => {
  const text = toBoundedText('é'.repeat(20_000), 1_024);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024);
  expect(text).toMatch(/^é+\n\[\.\.\. \d+ bytes left out \.\.\.\]\né+$/);
});

describe('a displayed value', () => {
  it('keeps its structure and shows control characters', () => {
    const value = { 'pa\u0007th': ['a\u001b[1mb', 1, null, true], __proto__: undefined };
    expect(toDisplayedValue(value, 1_024)).toEqual({ 'pa\\u{7}th': ['a\\u{1b}[1mb', 1, null, true] });
    expect(toDisplayedValue(undefined, 1_024)).toBeNull();
  });

  it('has all members, also if their names differ in an invisible or escaped character only', () => {
    const text = '{"command":"rm -rf x","comm\\u0007and":"ls","comm\\\\u{7}and":"cat","__proto__":"pwd"}';
    const displayed = toDisplayedValue(JSON.parse(text), 1_024);
    expect(Object.values(displayed as object).sort()).toEqual(['cat', 'ls', 'pwd', 'rm -rf x']);
    expect(JSON.stringify(displayed)).toContain('"command":"rm -rf x"');
  });

  it('becomes truncated JSON text if it is too large', () => {
    const value = toDisplayedValue({ text: 'x'.repeat(5_000) }, 1_024);
    expect(value).toMatch(/^\{"text":"x+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+"\}$/);
  });

  it('may be nested without end', () => {
    const nested = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as unknown;
    expect(JSON.stringify(toDisplayedValue(nested, 16_384))).toContain('deeper values left out');
  });
});

describe('a text of many megabytes', () => {
  const long = 'a\u200db'.repeat(8_000_000);

  const searchQuarter = () => toDisplayedText(long.slice(0, long.length / 4));

  it('is truncated in less time than a quarter of it is searched, and the marker counts what is left out', () => {
    let [text, json, line] = ['', '', ''];
    const truncationTime = measureCpu(() => {
      text = toBoundedText(long, 1_024);
      json = toDisplayedValue({ first: long, last: [long, long] }, 1_024) as string;
      line = toDisplayedLine(long);
    });
    expect(truncationTime).toBeLessThan(measureCpu(searchQuarter));
    for (const shown of [text, json]) expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1_024);
    expect(Number(/\[\.\.\. (\d+) bytes left out \.\.\.\]/.exec(text)![1])).toBeGreaterThan(39_990_000);
    expect(Number(/\[\.\.\. (\d+) bytes left out \.\.\.\]/.exec(json)![1])).toBeGreaterThan(119_990_000);
    expect(line).toMatch(/ \[… \d{8} characters left out\]$/);
  });

  it('says so if a list has too many values', () => {
    const values = Array(8_000_000).fill([1]);
    let json = '';
    const time = measureCpu(() => (json = toDisplayedValue(values, 1_024) as string));
    expect(json).toContain('further values left out');
    expect(time).toBeLessThan(measureCpu(searchQuarter));
  });
});
