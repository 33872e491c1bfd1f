import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { inGroupsOfFour, toCrockford } from './crockford.js';

/**
 * @typedef {'Ed25519' | 'X25519'} Curve
 * @typedef {{ kty: 'OKP', crv: Curve, x: string }} PublicJwk RFC 8037 §2
 * @typedef {PublicJwk & { d: string }} PrivateJwk
 * @typedef {{ publicJwk: PublicJwk, privateKey: CryptoKey }} Key the private half never leaves the browser
 * @typedef {{ signing: Key, encryption: Key }} DeviceKeys the two key pairs of a device (device-api.md, Identity)
 */

/** @type {Record<Curve, { usages: KeyUsage[], pkcs8: number[] }>} what precedes the 32 private bytes: RFC 8410 §7 */
const CURVES = {
  Ed25519: { usages: ['sign'], pkcs8: [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32] },
  X25519: { usages: ['deriveBits'], pkcs8: [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32] },
};

/** @returns {Promise<DeviceKeys>} */
export async function generateDeviceKeys() {
  return { signing: await generateKey('Ed25519'), encryption: await generateKey('X25519') };
}

/**
 * @param {Curve} curve
 * @returns {Promise<Key>}
 */
async function generateKey(curve) {
  /** @type {KeyUsage[]} */
  const usages = curve === 'Ed25519' ? ['sign', 'verify'] : ['deriveBits'];
  const pair = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey(curve, false, usages));
  return {
    publicJwk: publicPart(await crypto.subtle.exportKey('jwk', pair.publicKey)),
    privateKey: pair.privateKey,
  };
}

/**
 * @param {Curve} curve
 * @param {Uint8Array} seed the 32 private bytes
 * @returns {Promise<PrivateJwk>} with the public half computed, not taken on trust
 */
export async function jwkFromSeed(curve, seed) {
  const { usages, pkcs8 } = CURVES[curve];
  const key = await crypto.subtle.importKey('pkcs8', Uint8Array.from([...pkcs8, ...seed]), curve, true, usages);
  const { d, ...jwk } = await crypto.subtle.exportKey('jwk', key);
  return { ...publicPart(jwk), d: String(d) };
}

/**
 * @param {PrivateJwk} jwk
 * @returns {Promise<Key>}
 */
export async function toKey(jwk) {
  const privateKey = await crypto.subtle.importKey('jwk', jwk, jwk.crv, false, CURVES[jwk.crv].usages);
  return { publicJwk: publicPart(jwk), privateKey };
}

/**
 * @param {{ crv?: string, x?: string }} jwk
 * @returns {PublicJwk}
 */
export function publicPart({ crv, x }) {
  return { kty: 'OKP', crv: /** @type {Curve} */ (crv), x: String(x) };
}

/**
 * @param {unknown} value
 * @param {Curve} curve
 * @returns {PublicJwk}
 * @throws {Error} when it is no public key of that curve
 */
export function parsePublicKey(value, curve) {
  const { kty, crv, x } = /** @type {Record<string, unknown>} */ (value ?? {});
  if (kty !== 'OKP' || crv !== curve || typeof x !== 'string' || !/^[\w-]{43}$/.test(x)) {
    throw new Error(`Not an ${curve} public key.`);
  }
  return { kty, crv: curve, x };
}

/** @param {PublicJwk} a @param {PublicJwk} b */
export const isSameKey = (a, b) => a.crv === b.crv && a.x === b.x;

/** @param {DeviceKeys} keys */
export const publicKeys = (keys) => ({
  publicKey: keys.signing.publicJwk,
  encryptionKey: keys.encryption.publicJwk,
});

/**
 * What people compare on two screens: the first 10 bytes of SHA-256 over both thumbprints (device-api.md, Enrollment).
 * @param {PublicJwk} publicKey
 * @param {PublicJwk} encryptionKey
 */
export async function fingerprint(publicKey, encryptionKey) {
  const prints = await Promise.all([publicKey, encryptionKey].map((key) => calculateJwkThumbprint(key)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(prints.join('.')));
  return inGroupsOfFour(toCrockford(new Uint8Array(digest).subarray(0, 10)));
}

/** @param {DeviceKeys} keys */
export const fingerprintOf = (keys) => fingerprint(keys.signing.publicJwk, keys.encryption.publicJwk);
