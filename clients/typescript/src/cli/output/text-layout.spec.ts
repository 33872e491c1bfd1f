import { cutText, formatTable, measureWidth, wrapText } from './text-layout.ts';

const COLUMNS = [{ title: 'NAME' }, { title: 'STATE', priority: 1 }, { title: 'ID', priority: 2 }];

describe('a table', () => {
  it.each([
    [Infinity, 'NAME  STATE   ID\nbox   online  mch_1'],
    [19, 'NAME  STATE   ID\nbox   online  mch_1'],
    [18, 'NAME  STATE\nbox   online'],
    [11, 'NAME\nbox'],
    [3, 'NAME   box\nSTATE  online\nID     mch_1'],
  ])('of %d columns leaves out what matters least, and becomes blocks at last', (width, table) => {
    expect(formatTable(COLUMNS, [['box', 'online', 'mch_1']], width)).toBe(table);
  });

  it('is aligned by what a terminal shows', () => {
    const rows = [
      ['日本', 'a'],
      ['e\u0301', 'b'],
      ['\x1b[31mred\x1b[0m', 'c'],
    ];
    expect(formatTable([{ title: 'N' }, { title: 'X' }], rows, 80).split('\n')).toEqual([
      'N     X',
      '日本  a',
      'e\u0301     b',
      '\x1b[31mred\x1b[0m   c',
    ]);
    expect(measureWidth('日本')).toBe(4);
  });
});

describe('a text', () => {
  it('is broken between words, and a word only if it fills more than a line', () => {
    expect(wrapText('one two three', 8)).toBe('one two\nthree');
    expect(wrapText('abcdefghijkl', 8)).toBe('abcdefgh\nijkl');
    expect(wrapText('one two', 12, '    ')).toBe('    one two');
    expect(wrapText('one two three', Infinity, '  ')).toBe('  one two three');
  });

  it('is cut with an ellipsis', () => {
    expect([cutText('abcd', 4), cutText('abcde', 4), cutText('日本語', 5)]).toEqual(['abcd', 'abc…', '日本…']);
  });
});
