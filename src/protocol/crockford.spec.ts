import { randomBytes } from 'node:crypto';
import { decodeCrockford, groupByFour, encodeCrockford } from './crockford';

describe('Crockford base32', () => {
  it('gives back every length from 0 to 64 bytes', () => {
    for (let length = 0; length <= 64; length++) {
      const bytes = new Uint8Array(randomBytes(length));
      expect(decodeCrockford(encodeCrockford(bytes))).toEqual(bytes);
    }
  });

  it('reads what people type: lower case, hyphens, look-alikes', () => {
    expect(decodeCrockford('o1-iL 0')).toEqual(decodeCrockford('01110'));
    expect(() => decodeCrockford('U')).toThrow('not a Crockford');
  });

  it('groups by four', () => {
    expect(groupByFour('ABCDEFGHJK')).toBe('ABCD-EFGH-JK');
  });
});
