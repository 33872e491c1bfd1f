import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { CompactSign } from 'jose/jws/compact/sign';
import { compactVerify } from 'jose/jws/compact/verify';
import { isSameKey, parsePublicKey, publicKeys } from './keys.js';
import { sealContentKey, unsealContentKey } from './sealed-key.js';

/** @import { DeviceKeys, Key, PrivateJwk, PublicJwk } from './keys.js' */

/** Somebody is being shown a device, an account or a content key that its owner never agreed to. */
export class EnrollmentError extends Error {}

/**
 * What an approving device signs (device-api.md, Enrollment). A machine is not given the account's content key.
 * @param {{ id: string, contentKeyVersion: number }} account
 * @param {PrivateJwk} contentKey
 * @param {Key} approver
 * @param {{ kind: 'account' | 'machine', publicKey: PublicJwk, encryptionKey: PublicJwk }} device
 */
export async function signEnrollment(account, contentKey, approver, { kind, publicKey, encryptionKey }) {
  const { kty, crv, x } = contentKey;
  const payload = {
    accountId: account.id,
    publicKey,
    encryptionKey,
    contentPublicKey: { kty, crv, x },
    contentKeyVersion: account.contentKeyVersion,
    ...(kind === 'account' && { sealedContentKey: await sealContentKey(contentKey, encryptionKey) }),
  };
  return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', jwk: approver.publicJwk })
    .sign(approver.privateKey);
}

/**
 * Checks that a device of this account vouches for these keys, and that its content key opens.
 * @param {string | null} jws
 * @param {string} accountId
 * @param {DeviceKeys} own
 * @returns {Promise<{ sealedContentKey: string, contentPublicKey: PublicJwk }>}
 * @throws {EnrollmentError}
 */
export async function verifyEnrollment(jws, accountId, own) {
  try {
    const payload = await open(jws ?? '');
    const { publicKey, encryptionKey } = publicKeys(own);
    if (payload.accountId !== accountId) throw new Error('It is for another account.');
    if (!isSameKey(parsePublicKey(payload.publicKey, 'Ed25519'), publicKey))
      throw new Error('It is for another device.');
    if (!isSameKey(parsePublicKey(payload.encryptionKey, 'X25519'), encryptionKey)) {
      throw new Error('It is for another device.');
    }
    const contentPublicKey = parsePublicKey(payload.contentPublicKey, 'X25519');
    const sealedContentKey = String(payload.sealedContentKey);
    await unsealContentKey(sealedContentKey, own.encryption, contentPublicKey);
    return { sealedContentKey, contentPublicKey };
  } catch (error) {
    throw new EnrollmentError(
      `The service gives no good proof that a device of the account approved this browser. ${/** @type {Error} */ (error).message}`,
    );
  }
}

/**
 * @param {string} jws
 * @returns {Promise<Record<string, unknown>>}
 */
async function open(jws) {
  const { alg, jwk, ...others } = decodeProtectedHeader(jws);
  if (alg !== 'EdDSA' || Object.keys(others).length > 0) throw new Error('Its header is not as it should be.');
  const approver = parsePublicKey(jwk, 'Ed25519');
  const key = await crypto.subtle.importKey('jwk', approver, 'Ed25519', true, ['verify']);
  const { payload } = await compactVerify(jws, key, { algorithms: ['EdDSA'] });
  return JSON.parse(new TextDecoder().decode(payload));
}
