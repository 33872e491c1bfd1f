import { measureJson, type JsonLimits } from './json-limits';

const measure = (text: string, limits: Partial<JsonLimits>) =>
  measureJson(Buffer.from(text), { depth: 64, entries: 10_000, ...limits });

/** Members and elements as a parser finds them. */
const countEntries = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + 1 + countEntries(member), 0)
    : 0;
const measureDepth = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(measureDepth)) : 0;

describe('the bounds of a JSON text', () => {
  const texts = [
    '{}',
    '[]',
    '1',
    '""',
    ' [ ] ',
    '{"a":1}',
    '[1]',
    '[1,2,3]',
    '{"a":[],"b":{}}',
    '[[],[],[[]]]',
    '{"a":{"b":[1,{"c":null}]},"d":"e"}',
    '["[[[{{{,,,","\\"]],,","\\\\",",\\\\\\"{"]',
    '{"{\\"":"}","\\\\":[",",":"]}',
    '\t[\r\n1 ,\n2 ]\n',
    '["é💻\u2028",{"ключ":"[值,值]"}]',
  ];

  it.each(texts)('count exactly what the parser finds in %j', (text) => {
    const value: unknown = JSON.parse(text);
    const entries = countEntries(value);
    const depth = measureDepth(value);
    expect(measure(text, { entries, depth })).toBe(entries);
    if (entries > 0) expect(measure(text, { entries: entries - 1 })).toBe('entries');
    if (depth > 0) expect(measure(text, { depth: depth - 1 })).toBe('depth');
  });

  it('count exactly what the parser finds in random documents, however they are spaced', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const strings = ['', '"', '\\', '\\"', '{', ']],', 'a,b', '\u0000', 'é"💻'];
    const node = (depth: number): unknown => {
      const kind = depth === 0 ? random(3) : random(5);
      if (kind < 2) return [null, true, -1.5e3, 0][random(4)];
      if (kind === 2) return strings[random(strings.length)];
      const members = Array.from({ length: random(5) }, () => node(depth - 1));
      if (kind === 3) return members;
      return Object.fromEntries(members.map((member, i) => [strings[random(9)]! + i, member]));
    };
    for (let round = 0; round < 300; round++) {
      const value = node(5);
      const text = JSON.stringify(value, null, random(2) * 3);
      const bounds = { entries: countEntries(value), depth: measureDepth(value) };
      expect([text, measure(text, bounds)]).toEqual([text, bounds.entries]);
      if (bounds.entries > 0) expect(measure(text, { ...bounds, entries: bounds.entries - 1 })).toBe('entries');
    }
  });

  it.each(['', '"', '"\\', '{', '[1,', '}}}}', ']', ',,,', '\u0000', '"unended [[[,,,'])(
    'are kept by %j, which is for the parser to refuse',
    (text) => {
      expect(measure(text, { depth: 8, entries: 8 })).toEqual(expect.any(Number));
    },
  );

  it('end the count at the first one too many', () => {
    expect(measure('['.repeat(100_000), {})).toBe('depth');
    expect(measure(`{"a":[${'{},'.repeat(100_000)}`, {})).toBe('entries');
  });
});
