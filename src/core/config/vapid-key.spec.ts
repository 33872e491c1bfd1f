import { createECDH } from 'node:crypto';
import { generateVapidKey, parseVapidKey } from './vapid-key';

describe('the key of push messages', () => {
  it('is what the admin command prints, with the public key that belongs to it', () => {
    const text = generateVapidKey();
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(text, 'base64url');
    expect(parseVapidKey(text)?.publicKey).toBe(ecdh.getPublicKey('base64url'));
    expect(parseVapidKey(text)?.privateKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  });

  it.each(['', 'short', 'A'.repeat(43), '_'.repeat(43), `${'B'.repeat(43)}=`])('is not %j', (text) => {
    expect(parseVapidKey(text)).toBeNull();
  });
});
