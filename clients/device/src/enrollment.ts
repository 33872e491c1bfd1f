import { compactVerify, CompactSign, decodeProtectedHeader } from 'jose';
import { createPublicKey } from 'node:crypto';
import type { EncryptionKey, EnrollmentPayload, SigningKey } from '@external-api/protocol';
import {
  parsePublicKey,
  toPrivateKeyObject,
  toPublicKey,
  isSameKey,
  type DeviceKeys,
  type PrivateKeyJwk,
} from './keys';
import { isInteger } from './untrusted-values';

/** A verified enrollment: its approver, device and account (docs/protocol/device-api.md#enrollment). */
export interface Enrollment {
  accountId: string;
  approver: SigningKey;
  contentPublicKey: EncryptionKey;
  contentKeyVersion: number;
  sealedContentKey: string | undefined;
}

/** Thrown when the service presents a device, account or content key that its owner did not approve. */
export class EnrollmentError extends Error {
  override readonly name = 'EnrollmentError';
}

/** Returns a compact JWS with the header `{alg: "EdDSA", jwk}`. */
export async function signEnrollment(payload: EnrollmentPayload, approver: PrivateKeyJwk<'Ed25519'>): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', jwk: { ...toPublicKey(approver) } })
    .sign(toPrivateKeyObject(approver));
}

/**
 * Verifies the signature, the account and the device's keys.
 * @throws EnrollmentError
 */
export async function verifyEnrollment(jws: string, accountId: string, ownKeys: DeviceKeys): Promise<Enrollment> {
  const { approver, payload } = await verifyEnrollmentSignature(jws);
  if (payload.accountId !== accountId) throw new EnrollmentError('The enrollment is for another account.');
  const publicKey = parseEnrolledKey(payload.publicKey, 'Ed25519');
  const encryptionKey = parseEnrolledKey(payload.encryptionKey, 'X25519');
  if (!isSameKey(publicKey, ownKeys.signing) || !isSameKey(encryptionKey, ownKeys.encryption))
    throw new EnrollmentError('The enrollment is for another device.');
  if (!isInteger(payload.contentKeyVersion, 1)) throw new EnrollmentError('The enrollment has no content key version.');
  return {
    accountId,
    approver,
    contentPublicKey: parseEnrolledKey(payload.contentPublicKey, 'X25519'),
    contentKeyVersion: payload.contentKeyVersion,
    sealedContentKey: payload.sealedContentKey,
  };
}

/**
 * Compares the enrollment of a later sign-in with the pinned one. They must be identical.
 * @throws EnrollmentError naming the part that changed
 */
export async function verifyPinnedEnrollment(
  pinned: string | null,
  presented: string | null,
  accountId: string,
  ownKeys: DeviceKeys,
): Promise<void> {
  if (pinned === presented) return;
  throw new EnrollmentError(
    `The service presents a different ${await findEnrollmentChange(pinned, presented, accountId, ownKeys)} from the ` +
      'one that this device has pinned. The device does not serve calls. If you did not make this change, ' +
      'do not trust this service.',
  );
}

async function findEnrollmentChange(
  pinned: string | null,
  presented: string | null,
  accountId: string,
  ownKeys: DeviceKeys,
): Promise<string> {
  if (pinned === null || presented === null) return 'enrollment';
  const pinnedEnrollment = await verifyEnrollment(pinned, accountId, ownKeys);
  const presentedEnrollment = await verifyEnrollment(presented, accountId, ownKeys);
  if (!isSameKey(pinnedEnrollment.contentPublicKey, presentedEnrollment.contentPublicKey)) return 'content key';
  if (pinnedEnrollment.contentKeyVersion !== presentedEnrollment.contentKeyVersion) return 'content key version';
  return isSameKey(pinnedEnrollment.approver, presentedEnrollment.approver) ? 'enrollment' : 'approving device';
}

async function verifyEnrollmentSignature(jws: string): Promise<{ approver: SigningKey; payload: EnrollmentPayload }> {
  try {
    const { alg, jwk, ...otherParameters } = decodeProtectedHeader(jws);
    if (alg !== 'EdDSA' || Object.keys(otherParameters).length > 0) throw new Error('unexpected header');
    const approver = parsePublicKey(jwk, 'Ed25519');
    const key = createPublicKey({ key: { ...approver }, format: 'jwk' });
    const verified = await compactVerify(jws, key, { algorithms: ['EdDSA'] });
    const payload = JSON.parse(Buffer.from(verified.payload).toString('utf8')) as EnrollmentPayload | null;
    if (payload === null || typeof payload !== 'object') throw new Error('the payload is not an object');
    return { approver, payload };
  } catch (error) {
    throw new EnrollmentError(`The enrollment has no valid signature: ${(error as Error).message}.`);
  }
}

function parseEnrolledKey<C extends 'Ed25519' | 'X25519'>(value: unknown, curve: C) {
  try {
    return parsePublicKey(value, curve);
  } catch (error) {
    throw new EnrollmentError(`The enrollment contains a malformed key: ${(error as Error).message}`);
  }
}
