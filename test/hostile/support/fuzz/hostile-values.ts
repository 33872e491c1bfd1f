/** Texts that break parsers, comparisons, databases and logs. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\ufeff',
  '\u202eabc',
  'e\u0301'.repeat(20),
  '👩‍👩‍👧‍👦'.repeat(30),
  'x'.repeat(5_000),
  "'; DROP TABLE accounts; --",
  '%00',
  '%s%n{0}${x}',
  '../../../etc/passwd',
  'a\r\nX-Injected: yes',
  '__proto__',
  'constructor',
  '-1',
  '1e9',
  'NaN',
  'null',
  '0x10',
  '9007199254740993',
  '99999999999999999999999999',
];

/** Values of every JSON type, at most one of which is valid. */
export const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  3_651,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e308,
  [],
  [[]],
  [null],
  ['x', 'x'],
  [{}],
  {},
  { length: 1 },
  { toString: 'x', valueOf: 'x' },
  { $ref: '#' },
  { type: 'Buffer', data: [1] },
  ...HOSTILE_TEXTS,
];

/** JSON text of nested arrays or objects. */
export function nestJson(depth: number, open = '[', close = ']'): string {
  return open.repeat(depth) + (open === '[' ? '' : '0') + close.repeat(depth);
}
