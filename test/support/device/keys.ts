import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

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

export function createForeignKeyPair(crv: 'Ed25519' | 'X25519'): ForeignKeyPair {
  const pair = crv === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519');
  const { x } = pair.publicKey.export({ format: 'jwk' });
  return { publicKey: { kty: 'OKP', crv, x: x! }, privateKey: pair.privateKey };
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
