import { webcrypto } from 'node:crypto';

/**
 * Returns the plaintext of a validated compact JWE with `dir` and `A256GCM` (RFC 7516 §5.2), or null when it does not
 * decrypt. It does not use jose, whose base64 decoding blocks the event loop for 20 ms per MiB. The cipher of WebCrypto
 * runs outside of the event loop (docs/decisions/0013).
 */
export async function decryptContent(jwe: string, key: Uint8Array): Promise<Buffer | null> {
  const [header, , iv, ciphertext, tag] = jwe.split('.') as [string, string, string, string, string];
  const cryptoKey = await webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  const algorithm = {
    name: 'AES-GCM',
    iv: Buffer.from(iv, 'base64url'),
    additionalData: Buffer.from(header),
    tagLength: 128,
  };
  // WebCrypto expects the tag after the ciphertext.
  const sealed = Buffer.allocUnsafeSlow(Buffer.byteLength(ciphertext, 'base64url') + 16);
  const length = sealed.write(ciphertext, 'base64url');
  sealed.write(tag, length, 'base64url');
  try {
    return Buffer.from(await webcrypto.subtle.decrypt(algorithm, cryptoKey, sealed.subarray(0, length + 16)));
  } catch {
    return null;
  }
}
