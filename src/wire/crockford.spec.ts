import { randomBytes } from 'node:crypto';
import { fromCrockford, inGroupsOfFour, toCrockford } from './crockford';

describe('Crockford base32', () => {
  it('gives back every length from 0 to 64 bytes', () => {
    for (let length = 0; length <= 64; length++) {
      const bytes = new Uint8Array(randomBytes(length));
      expect(fromCrockford(toCrockford(bytes))).toEqual(bytes);
    }
  });

  it('reads what people type: lower case, hyphens, look-alikes', () => {
    expect(fromCrockford('o1-iL 0')).toEqual(fromCrockford('01110'));
    expect(() => fromCrockford('U')).toThrow('not a Crockford');
  });

  it('groups by four', () => {
    expect(inGroupsOfFour('ABCDEFGHJK')).toBe('ABCD-EFGH-JK');
  });
});
