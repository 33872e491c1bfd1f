import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { CompactSign } from 'jose/jws/compact/sign';
import { compactVerify } from 'jose/jws/compact/verify';
import {
  isSameKey,
  parsePublicKey,
  type EncryptionKey,
  type EnrollmentPayload,
  type SigningKey,
} from '@external-api/protocol/portable';
import { getPublicJwks, toPublicJwk, type BrowserKeyPair, type BrowserKeys, type PrivateJwk } from './keys';
import { sealContentKey, unsealContentKey } from './sealed-key';

/** The presented device, account or content key was not approved by its owner. */
export class BrowserEnrollmentError extends Error {}

/** Device that an enrollment vouches for. */
export interface EnrolledDevice {
  kind: 'account' | 'machine';
  publicKey: SigningKey;
  encryptionKey: EncryptionKey;
}

export interface EnrolledContentKey {
  sealedContentKey: string;
  contentPublicKey: EncryptionKey;
}

/**
 * Signs an enrollment as the approving device (docs/protocol/device-api.md#enrollment). A machine's enrollment does not
 * contain the account's content key.
 */
export async function enrollDevice(
  account: { id: string; contentKeyVersion: number },
  contentKey: PrivateJwk<'X25519'>,
  approver: BrowserKeyPair<'Ed25519'>,
  { kind, publicKey, encryptionKey }: EnrolledDevice,
): Promise<string> {
  const payload: EnrollmentPayload = {
    accountId: account.id,
    publicKey,
    encryptionKey,
    contentPublicKey: toPublicJwk(contentKey),
    contentKeyVersion: account.contentKeyVersion,
    ...(kind === 'account' && { sealedContentKey: await sealContentKey(contentKey, encryptionKey) }),
  };
  return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', jwk: { ...approver.publicJwk } })
    .sign(approver.privateKey);
}

/**
 * Verifies that a device of this account has signed these keys and that the content key can be decrypted.
 * @throws BrowserEnrollmentError
 */
export async function openEnrollment(
  jws: string | null,
  accountId: string,
  own: BrowserKeys,
): Promise<EnrolledContentKey> {
  try {
    const payload = await readEnrollment(jws ?? '');
    const { publicKey, encryptionKey } = getPublicJwks(own);
    if (payload.accountId !== accountId) throw new Error('The enrollment is for another account.');
    if (!isSameKey(parsePublicKey(payload.publicKey, 'Ed25519'), publicKey))
      throw new Error('The enrollment is for another device.');
    if (!isSameKey(parsePublicKey(payload.encryptionKey, 'X25519'), encryptionKey)) {
      throw new Error('The enrollment is for another device.');
    }
    const contentPublicKey = parsePublicKey(payload.contentPublicKey, 'X25519');
    const sealedContentKey = String(payload.sealedContentKey);
    await unsealContentKey(sealedContentKey, own.encryption, contentPublicKey);
    return { sealedContentKey, contentPublicKey };
  } catch (error) {
    const { message } = error as Error;
    throw new BrowserEnrollmentError(
      `The service did not prove that a device of the account approved this browser. ${message}`,
      { cause: error },
    );
  }
}

async function readEnrollment(jws: string): Promise<Partial<EnrollmentPayload>> {
  const { alg, jwk, ...others } = decodeProtectedHeader(jws);
  if (alg !== 'EdDSA' || Object.keys(others).length > 0) throw new Error('The header is not valid.');
  const approver = parsePublicKey(jwk, 'Ed25519');
  const key = await crypto.subtle.importKey('jwk', approver, 'Ed25519', true, ['verify']);
  const { payload } = await compactVerify(jws, key, { algorithms: ['EdDSA'] });
  return JSON.parse(new TextDecoder().decode(payload)) as Partial<EnrollmentPayload>;
}
