import { randomBytes } from 'node:crypto';
import { decodeCrockford, groupByFour, encodeCrockford } from './crockford';

describe('Crockford base32', () => {
  it('encodes the values 0 to 31 as the symbols of the specification', () => {
    // The five-bit values 0 to 31 in one row.
    const bytes = Buffer.from('00443214c74254b635cf84653a56d7c675be77df', 'hex');
    expect(encodeCrockford(bytes)).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    expect(decodeCrockford('0123456789ABCDEFGHJKMNPQRSTVWXYZ')).toEqual(Uint8Array.from(bytes));
  });

  // The vectors of RFC 4648, section 10, with the symbols of Crockford for the same five-bit values.
  it.each([
    ['', ''],
    ['f', 'CR'],
    ['fo', 'CSQG'],
    ['foo', 'CSQPY'],
    ['foob', 'CSQPYRG'],
    ['fooba', 'CSQPYRK1'],
    ['foobar', 'CSQPYRK1E8'],
  ])('encodes %j as %s, and decodes it', (text, encoded) => {
    expect(encodeCrockford(Buffer.from(text))).toBe(encoded);
    expect(Buffer.from(decodeCrockford(encoded)).toString()).toBe(text);
  });

  it('gives back every length from 0 to 64 bytes', () => {
    for (let length = 0; length <= 64; length++) {
      const bytes = new Uint8Array(randomBytes(length));
      expect(decodeCrockford(encodeCrockford(bytes))).toEqual(bytes);
    }
  });

  it('reads what people type: lower case, hyphens, look-alikes', () => {
    expect(decodeCrockford('csq-pyRk1 e8')).toEqual(decodeCrockford('CSQPYRK1E8'));
    expect(decodeCrockford('o1-iL 0')).toEqual(decodeCrockford('01110'));
    expect(decodeCrockford('01110')).toEqual(Uint8Array.of(0x00, 0x42, 0x10));
    expect(() => decodeCrockford('U')).toThrow('not a Crockford');
  });

  it('groups by four', () => {
    expect(groupByFour('ABCDEFGHJK')).toBe('ABCD-EFGH-JK');
  });
});
