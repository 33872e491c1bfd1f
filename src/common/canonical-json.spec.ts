import { toCanonicalJson } from './canonical-json';

describe('toCanonicalJson', () => {
  it('ignores the order of members at every level', () => {
    const one = { b: { d: [1, { y: 1, x: 2 }], c: null }, a: 'x' };
    const other = { a: 'x', b: { c: null, d: [1, { x: 2, y: 1 }] } };
    expect(toCanonicalJson(one)).toBe(toCanonicalJson(other));
  });

  it.each([
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: '1' }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    [{ a: [] }, { a: {} }],
  ])('distinguishes %j and %j', (one, other) => {
    expect(toCanonicalJson(one)).not.toBe(toCanonicalJson(other));
  });

  it('treats a DTO instance as a plain object', () => {
    class Dto {
      b = 2;
      a = 1;
    }
    expect(toCanonicalJson(new Dto())).toBe('{"a":1,"b":2}');
  });
});
