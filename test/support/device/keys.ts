import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';

/** Key operations of the foreign device: only node:crypto, written from docs/protocol/device-api.md. */

export interface ForeignJwk {
  kty: 'OKP';
  crv: string;
  x: string;
}

export interface ForeignKeyPair {
  publicKey: ForeignJwk;
  privateKey: KeyObject;
}

/** Heads of a private key of 32 bytes in PKCS #8 (RFC 8410 §7). */
const PKCS8_HEADS = {
  Ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
  X25519: Buffer.from('302e020100300506032b656e04220420', 'hex'),
};

/**
 * Not by `generateKeyPairSync`, whose keys can block Node.js 20 when they are exported.
 * @param seed the 32 private bytes
 */
export function createForeignKeyPair(crv: 'Ed25519' | 'X25519', seed: Uint8Array = randomBytes(32)): ForeignKeyPair {
  const der = Buffer.concat([PKCS8_HEADS[crv], seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { publicKey: { kty: 'OKP', crv, x: x! }, privateKey };
}

export function signText(key: KeyObject, text: string): string {
  return sign(null, Buffer.from(text), key).toString('base64url');
}

export function encodeBase64urlJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Signs a compact JWS (RFC 7515 §7.1) with alg EdDSA and the signer's key in its header. */
export function signJws(
  pair: ForeignKeyPair,
  payload: unknown,
  header: object = { alg: 'EdDSA', jwk: pair.publicKey },
): string {
  const input = `${encodeBase64urlJson(header)}.${encodeBase64urlJson(payload)}`;
  return `${input}.${signText(pair.privateKey, input)}`;
}

export function computeForeignThumbprint({ crv, kty, x }: ForeignJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}
