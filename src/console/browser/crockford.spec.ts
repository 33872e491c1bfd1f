import * as wire from '../../wire';
import { fromCrockford, inGroupsOfFour, toCrockford, normalized } from './crockford.js';

describe('Crockford base32 in the browser', () => {
  it.each([0, 1, 4, 5, 10, 32])('is what every other device writes, for %d bytes', (length) => {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    expect(toCrockford(bytes)).toBe(wire.toCrockford(bytes));
    expect(fromCrockford(toCrockford(bytes))).toEqual(bytes);
    expect(inGroupsOfFour(toCrockford(bytes))).toBe(wire.inGroupsOfFour(wire.toCrockford(bytes)));
  });

  it.each(['O1L0', 'oIl0', ' 01-1 o'])('takes %s for 0110', (typed) => {
    expect(normalized(typed)).toBe('0110');
  });

  it('reads what a person typed', () => {
    expect(fromCrockford(' oIl-z ')).toEqual(wire.fromCrockford('011Z'));
    expect(() => fromCrockford('ABU')).toThrow('“U”');
  });
});
