import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import type { Account } from '../../accounts';
import { thumbprint, type EnrollmentPayload, type OkpJwk, type SigningKey } from '../../wire';
import type { PairingEntity } from './pairing.entity';

const FIELDS = ['accountId', 'publicKey', 'encryptionKey', 'contentPublicKey', 'contentKeyVersion', 'sealedContentKey'];

/**
 * Why the server would not pass on this enrollment, or null (device-api.md, Enrollment): it must be signed by the
 * approver's own key and name this account, these keys and the account's content key.
 */
export async function enrollmentFault(
  jws: string,
  approver: SigningKey,
  account: Account,
  pairing: PairingEntity,
): Promise<string | null> {
  const payload = await verifiedPayload(jws, approver);
  if (typeof payload === 'string') return payload;
  const unknown = Object.keys(payload).find((field) => !FIELDS.includes(field));
  if (unknown) return `The enrollment has an unknown member "${unknown}".`;
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
  return sealedKeyFault(payload.sealedContentKey, pairing);
}

async function verifiedPayload(jws: string, approver: SigningKey): Promise<EnrollmentPayload | string> {
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
    return 'The enrollment is not a compact JWS with a good signature.';
  }
}

function sealedKeyFault(sealed: unknown, pairing: PairingEntity): string | null {
  if (sealed === undefined || sealed === null) return null;
  if (pairing.kind === 'machine') return 'A machine device gets no sealed content key.';
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
    thumbprint(key as OkpJwk) === thumbprint(expected)
  );
}
