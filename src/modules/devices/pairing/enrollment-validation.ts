import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { computeThumbprint, type EnrollmentPayload, type OkpJwk, type SigningKey } from '@external-api/protocol';
import type { Account } from '../../accounts';
import type { PairingEntity } from './pairing.entity';

const ENROLLMENT_FIELDS = [
  'accountId',
  'publicKey',
  'encryptionKey',
  'contentPublicKey',
  'contentKeyVersion',
  'sealedContentKey',
];

/**
 * Returns why an enrollment is invalid, or null (docs/protocol/device-api.md#enrollment). It must be signed by the
 * approver's key and name this account, these keys and the account's content key.
 */
export async function findEnrollmentViolation(
  jws: string,
  approver: SigningKey,
  account: Account,
  pairing: PairingEntity,
): Promise<string | null> {
  const payload = await verifyEnrollmentPayload(jws, approver);
  if (typeof payload === 'string') return payload;
  const unknownField = Object.keys(payload).find((field) => !ENROLLMENT_FIELDS.includes(field));
  if (unknownField) return `The enrollment has an unknown member "${unknownField}".`;
  if (payload.accountId !== account.id) return 'The enrollment names another account.';
  if (!isSameKey(payload.publicKey, pairing.publicKey)) return 'The enrollment names another signing key.';
  if (!isSameKey(payload.encryptionKey, pairing.encryptionKey)) {
    return 'The enrollment names another encryption key.';
  }
  if (!isSameKey(payload.contentPublicKey, account.contentPublicKey)) {
    return 'The enrollment names another content key.';
  }
  if (payload.contentKeyVersion !== account.contentKeyVersion) {
    return 'The enrollment names another version of the content key.';
  }
  return findSealedContentKeyViolation(payload.sealedContentKey, pairing);
}

async function verifyEnrollmentPayload(jws: string, approver: SigningKey): Promise<EnrollmentPayload | string> {
  try {
    const header = decodeProtectedHeader(jws);
    if (Object.keys(header).sort().join() !== 'alg,jwk' || header.alg !== 'EdDSA') {
      return 'The enrollment header must be exactly {alg: "EdDSA", jwk}.';
    }
    if (!isSameKey(header.jwk, approver)) return 'The enrollment is not signed with the approving device’s key.';
    const key = await importJWK({ ...approver }, 'EdDSA');
    const { payload } = await compactVerify(jws, key, { algorithms: ['EdDSA'] });
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    if (typeof value !== 'object' || value === null) return 'The enrollment payload is not a JSON object.';
    return value as EnrollmentPayload;
  } catch {
    return 'The enrollment is not a compact JWS with a valid signature.';
  }
}

function findSealedContentKeyViolation(sealed: unknown, pairing: PairingEntity): string | null {
  if (sealed === undefined || sealed === null) return null;
  if (pairing.kind === 'machine') return 'A machine device must not have a sealed content key.';
  const isCompactJwe = typeof sealed === 'string' && /^[\w-]+(\.[\w-]+){4}$/.test(sealed) && sealed.length <= 4096;
  return isCompactJwe ? null : 'sealedContentKey must be a compact JWE.';
}

function isSameKey(given: unknown, expected: OkpJwk): boolean {
  const key = (given ?? {}) as Partial<OkpJwk>;
  return (
    key.kty === 'OKP' &&
    key.crv === expected.crv &&
    typeof key.x === 'string' &&
    Object.keys(key).length === 3 &&
    computeThumbprint(key as OkpJwk) === computeThumbprint(expected)
  );
}
