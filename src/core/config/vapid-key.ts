import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';

/** Key pair by which push services recognize this service (RFC 8292). */
export interface VapidKey {
  privateKey: KeyObject;
  /** Uncompressed point on P-256, base64url. Browsers subscribe with it. */
  publicKey: string;
}

/** Returns a new private key: base64url of its 32 bytes. */
export function generateVapidKey(): string {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  // A key that begins with zero bytes is shorter.
  return Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()])
    .subarray(-32)
    .toString('base64url');
}

/** Returns the key pair of a private key, or null if it isn't one. Doesn't describe the error: the key is secret. */
export function parseVapidKey(text: string): VapidKey | null {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return null;
  try {
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(text, 'base64url');
    const point = ecdh.getPublicKey();
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
    const privateKey = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d: text, x, y }, format: 'jwk' });
    return { privateKey, publicKey: point.toString('base64url') };
  } catch {
    return null;
  }
}
