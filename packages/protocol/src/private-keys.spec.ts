import { createKeyFromSeed, generateKey } from './private-keys';

const decodeHex = (text: string) => Buffer.from(text, 'hex');
const encodeHex = (text: string) => Buffer.from(text, 'base64url').toString('hex');

describe('a key from a seed', () => {
  it('is the one of RFC 8032 §7.1, test 1', () => {
    const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
    const key = createKeyFromSeed('Ed25519', decodeHex(seed));
    expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519' });
    expect(encodeHex(key.d)).toBe(seed);
    expect(encodeHex(key.x)).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
  });

  it("is Bob's of RFC 7748 §6.1", () => {
    const key = createKeyFromSeed(
      'X25519',
      decodeHex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'),
    );
    expect(encodeHex(key.x)).toBe('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f');
  });
});

describe('a generated key', () => {
  it('is another one each time', () => {
    expect(generateKey('X25519').d).not.toBe(generateKey('X25519').d);
  });
});
