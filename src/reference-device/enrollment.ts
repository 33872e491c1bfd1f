import { compactVerify, CompactSign, decodeProtectedHeader } from 'jose';
import { createPublicKey } from 'node:crypto';
import type { EncryptionKey, EnrollmentPayload, SigningKey } from '../wire';
import { parsePublicKey, privateKeyObject, publicPart, sameKey, type DeviceKeys, type PrivateKeyJwk } from './keys';

/** A verified enrollment: who vouches for which device of which account (device-api.md, Enrollment). */
export interface Enrollment {
  accountId: string;
  approver: SigningKey;
  contentPublicKey: EncryptionKey;
  contentKeyVersion: number;
  sealedContentKey: string | undefined;
}

/** Somebody is being shown a device, an account or a content key that its owner never agreed to. */
export class EnrollmentError extends Error {
  override readonly name = 'EnrollmentError';
}

/** Compact JWS with header `{alg: "EdDSA", jwk}`. */
export async function signEnrollment(payload: EnrollmentPayload, approver: PrivateKeyJwk<'Ed25519'>): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', jwk: { ...publicPart(approver) } })
    .sign(privateKeyObject(approver));
}

/**
 * Checks the signature and that it is about this device and this account.
 * @throws EnrollmentError
 */
export async function verifyEnrollment(jws: string, accountId: string, own: DeviceKeys): Promise<Enrollment> {
  const { approver, payload } = await openEnrollment(jws);
  if (payload.accountId !== accountId) throw new EnrollmentError('The enrollment is for another account.');
  const publicKey = parsed(payload.publicKey, 'Ed25519');
  const encryptionKey = parsed(payload.encryptionKey, 'X25519');
  if (!sameKey(publicKey, own.signing) || !sameKey(encryptionKey, own.encryption))
    throw new EnrollmentError('The enrollment is for another device.');
  if (!Number.isSafeInteger(payload.contentKeyVersion) || payload.contentKeyVersion < 1)
    throw new EnrollmentError('The enrollment has no content key version.');
  return {
    accountId,
    approver,
    contentPublicKey: parsed(payload.contentPublicKey, 'X25519'),
    contentKeyVersion: payload.contentKeyVersion,
    sealedContentKey: payload.sealedContentKey,
  };
}

/**
 * A pinned enrollment never changes: what comes at a later sign-in has to be the same, to the letter.
 * @throws EnrollmentError naming what has changed
 */
export async function verifyPinned(
  pinned: string | null,
  presented: string | null,
  accountId: string,
  own: DeviceKeys,
): Promise<void> {
  if (pinned === presented) return;
  throw new EnrollmentError(
    `The service presents another ${await whatChanged(pinned, presented, accountId, own)} than this device has pinned. ` +
      'Nothing is served. If you did not change it, do not trust this service.',
  );
}

async function whatChanged(
  pinned: string | null,
  presented: string | null,
  accountId: string,
  own: DeviceKeys,
): Promise<string> {
  if (pinned === null || presented === null) return 'enrollment';
  const before = await verifyEnrollment(pinned, accountId, own);
  const after = await verifyEnrollment(presented, accountId, own);
  if (!sameKey(before.contentPublicKey, after.contentPublicKey)) return 'content key';
  if (before.contentKeyVersion !== after.contentKeyVersion) return 'content key version';
  return sameKey(before.approver, after.approver) ? 'enrollment' : 'approving device';
}

async function openEnrollment(jws: string): Promise<{ approver: SigningKey; payload: EnrollmentPayload }> {
  try {
    const { alg, jwk, ...others } = decodeProtectedHeader(jws);
    if (alg !== 'EdDSA' || Object.keys(others).length > 0) throw new Error('unexpected header');
    const approver = parsePublicKey(jwk, 'Ed25519');
    const key = createPublicKey({ key: { ...approver }, format: 'jwk' });
    const verified = await compactVerify(jws, key, { algorithms: ['EdDSA'] });
    const payload = JSON.parse(Buffer.from(verified.payload).toString('utf8')) as EnrollmentPayload | null;
    if (payload === null || typeof payload !== 'object') throw new Error('no object');
    return { approver, payload };
  } catch (error) {
    throw new EnrollmentError(`The enrollment is not validly signed: ${(error as Error).message}.`);
  }
}

function parsed<C extends 'Ed25519' | 'X25519'>(value: unknown, curve: C) {
  try {
    return parsePublicKey(value, curve);
  } catch (error) {
    throw new EnrollmentError(`The enrollment holds a malformed key: ${(error as Error).message}`);
  }
}
