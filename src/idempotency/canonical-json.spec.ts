import { canonicalJson } from './canonical-json';

describe('canonicalJson', () => {
  it('spells objects alike whatever the order of their members, at every level', () => {
    const one = { b: { d: [1, { y: 1, x: 2 }], c: null }, a: 'x' };
    const other = { a: 'x', b: { c: null, d: [1, { x: 2, y: 1 }] } };
    expect(canonicalJson(one)).toBe(canonicalJson(other));
  });

  it.each([
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: '1' }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    [{ a: [] }, { a: {} }],
  ])('tells %j from %j', (one, other) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other));
  });

  it('reads members of a DTO instance as those of a plain object', () => {
    class Dto {
      b = 2;
      a = 1;
    }
    expect(canonicalJson(new Dto())).toBe('{"a":1,"b":2}');
  });
});
