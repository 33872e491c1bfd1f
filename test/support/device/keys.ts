import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** Key work of the foreign device: node:crypto alone, written against device-api.md. */

export interface Jwk {
  kty: 'OKP';
  crv: string;
  x: string;
}

export interface KeyPair {
  publicKey: Jwk;
  privateKey: KeyObject;
}

export function newKeyPair(crv: 'Ed25519' | 'X25519'): KeyPair {
  const pair = crv === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519');
  const { x } = pair.publicKey.export({ format: 'jwk' });
  return { publicKey: { kty: 'OKP', crv, x: x! }, privateKey: pair.privateKey };
}

export function signText(key: KeyObject, text: string): string {
  return sign(null, Buffer.from(text), key).toString('base64url');
}

export function base64urlJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A compact JWS (RFC 7515 §7.1) with alg EdDSA and the signer's key in its header. */
export function signJws(
  pair: KeyPair,
  payload: unknown,
  header: object = { alg: 'EdDSA', jwk: pair.publicKey },
): string {
  const input = `${base64urlJson(header)}.${base64urlJson(payload)}`;
  return `${input}.${signText(pair.privateKey, input)}`;
}

export function jwkThumbprint({ crv, kty, x }: Jwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}
