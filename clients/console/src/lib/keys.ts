import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import {
  formatFingerprint,
  joinThumbprints,
  type Curve,
  type EncryptionKey,
  type OkpJwk,
  type SigningKey,
} from '@external-api/protocol/portable';

export type PrivateJwk<C extends Curve = Curve> = OkpJwk<C> & { d: string };

/** Key pair whose private key never leaves the browser. */
export interface BrowserKeyPair<C extends Curve = Curve> {
  publicJwk: OkpJwk<C>;
  privateKey: CryptoKey;
}

/** The two key pairs of a device (docs/protocol/device-api.md#identity). */
export interface BrowserKeys {
  signing: BrowserKeyPair<'Ed25519'>;
  encryption: BrowserKeyPair<'X25519'>;
}

/** PKCS #8 prefix of the 32 private bytes: RFC 8410 §7. */
const CURVES: Record<Curve, { usages: KeyUsage[]; pkcs8: number[] }> = {
  Ed25519: { usages: ['sign'], pkcs8: [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32] },
  X25519: { usages: ['deriveBits'], pkcs8: [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32] },
};

export async function generateBrowserKeys(): Promise<BrowserKeys> {
  return { signing: await generateKeyPair('Ed25519'), encryption: await generateKeyPair('X25519') };
}

async function generateKeyPair<C extends Curve>(curve: C): Promise<BrowserKeyPair<C>> {
  const usages: KeyUsage[] = curve === 'Ed25519' ? ['sign', 'verify'] : ['deriveBits'];
  const pair = (await crypto.subtle.generateKey(curve, false, usages)) as CryptoKeyPair;
  const { x } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  return { publicJwk: { kty: 'OKP', crv: curve, x: String(x) }, privateKey: pair.privateKey };
}

/**
 * Computes the public key of a private key.
 * @param seed the 32 private bytes
 */
export async function createJwkFromSeed<C extends Curve>(curve: C, seed: Uint8Array): Promise<PrivateJwk<C>> {
  const { usages, pkcs8 } = CURVES[curve];
  const key = await crypto.subtle.importKey('pkcs8', Uint8Array.from([...pkcs8, ...seed]), curve, true, usages);
  const { x, d } = await crypto.subtle.exportKey('jwk', key);
  return { kty: 'OKP', crv: curve, x: String(x), d: String(d) };
}

export async function importKeyPair<C extends Curve>(jwk: PrivateJwk<C>): Promise<BrowserKeyPair<C>> {
  const privateKey = await crypto.subtle.importKey('jwk', jwk, jwk.crv, false, CURVES[jwk.crv].usages);
  return { publicJwk: toPublicJwk(jwk), privateKey };
}

export function toPublicJwk<C extends Curve>({ crv, x }: OkpJwk<C>): OkpJwk<C> {
  return { kty: 'OKP', crv, x };
}

export function getPublicJwks(keys: BrowserKeys): { publicKey: SigningKey; encryptionKey: EncryptionKey } {
  return { publicKey: keys.signing.publicJwk, encryptionKey: keys.encryption.publicJwk };
}

/** Returns the fingerprint that people compare (docs/protocol/device-api.md#fingerprint). */
export async function digestFingerprint(publicKey: SigningKey, encryptionKey: EncryptionKey): Promise<string> {
  const [signing, encryption] = await Promise.all([
    calculateJwkThumbprint(publicKey),
    calculateJwkThumbprint(encryptionKey),
  ]);
  const text = new TextEncoder().encode(joinThumbprints(signing, encryption));
  return formatFingerprint(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
}
