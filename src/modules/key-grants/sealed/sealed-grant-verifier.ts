import { Injectable } from '@nestjs/common';
import { findSealedKeyFormatViolation, readJweHeader } from '@external-api/protocol';
import { Config } from '../../../core/config';
import { decryptContent } from '../content/decrypt-content';
import type { LockedGrantResource } from '../grant-resource-authorizer';
import type { KeyGrantRow } from '../key-grant.response.dto';
import type { KeyGrantEntity } from '../key-grant.entity';
import { grantKeyMismatch } from '../key-grants.errors';
import { computeRecipientThumbprint, pickRecipientKeyMembers, type RecipientKeyDto } from '../recipient-key';
import { GrantKeyStore } from './grant-key-store';

type GrantRecipientFields = Pick<KeyGrantEntity, 'recipient' | 'recipientKeyId' | 'recipientThumbprint'>;
type BoundGrantFields = Omit<KeyGrantEntity, keyof GrantRecipientFields | 'id' | 'createdAt'>;

/** Terms of a grant that its sealed payload must repeat (docs/protocol/encryption.md#key-grants). */
interface GrantTerms {
  /** URL of the host, without a trailing slash. */
  aud: string;
  accountId: string;
  sessionId: string | null;
  artifactId: string | null;
  tokenId: string | null;
  appId: string | null;
  /** Unix ms */
  expiresAt: number | null;
  /** `kid` of the resource's data key. */
  keyId: string;
}

const BOUND_FIELDS = ['aud', 'accountId', 'sessionId', 'artifactId', 'tokenId', 'appId', 'expiresAt'] as const;
const DATA_KEY_BYTES = 32;

/** Verifies that the sealed payload of a grant matches the grant (docs/protocol/encryption.md#key-grants). */
@Injectable()
export class SealedGrantVerifier {
  constructor(
    private readonly grantKeyStore: GrantKeyStore,
    private readonly config: Config,
  ) {}

  /**
   * Returns the recipient of a new grant. A key sealed to the service must decrypt the resource's newest ciphertext.
   * @throws ApiError 422 when the key does not decrypt or does not match
   */
  resolveRecipient(
    recipient: 'service' | RecipientKeyDto,
    grant: BoundGrantFields,
    resource: LockedGrantResource,
  ): Promise<GrantRecipientFields> {
    return recipient === 'service'
      ? this.resolveServiceRecipient(grant, resource)
      : resolveCallerRecipient(grant.sealedKey, pickRecipientKeyMembers(recipient));
  }

  /** Returns the data key of a grant to the service. The caller must wipe it. @throws ApiError 422 */
  async openDataKey(row: KeyGrantRow, keyId: string): Promise<Buffer> {
    const payload = await this.grantKeyStore.decryptSealedKey(row.sealed_key, row.recipient_thumbprint);
    const key = payload && this.extractDataKey(payload, toBoundGrantFields(row), keyId);
    if (!key) throw grantKeyMismatch('The sealed key does not decrypt, or does not match its grant.');
    return key;
  }

  private async resolveServiceRecipient(
    grant: BoundGrantFields,
    { keyId, loadNewestCiphertext }: LockedGrantResource,
  ): Promise<GrantRecipientFields> {
    const opened = await this.grantKeyStore.decryptWithAnyKey(grant.sealedKey);
    if (!opened) throw grantKeyMismatch('No grant key of this service decrypts the sealed key.');
    const key = this.extractDataKey(opened.payload, grant, keyId);
    if (!key) throw grantKeyMismatch('The sealed key does not match this grant: its bindings differ.');
    try {
      const ciphertext = await loadNewestCiphertext();
      if (ciphertext !== null && !(await decryptContent(ciphertext, key)))
        throw grantKeyMismatch('The sealed key is not the data key: it does not decrypt the newest content.');
    } finally {
      key.fill(0);
    }
    return {
      recipient: null,
      recipientKeyId: this.grantKeyStore.findKid(opened.thumbprint)!,
      recipientThumbprint: opened.thumbprint,
    };
  }

  private extractDataKey(payload: Uint8Array, grant: BoundGrantFields, keyId: string): Buffer | null {
    const expiresAt = grant.expiresAt?.getTime() ?? null;
    try {
      return extractGrantedKey(payload, { ...grant, aud: this.config.publicUrl, expiresAt, keyId });
    } finally {
      payload.fill(0);
    }
  }
}

async function resolveCallerRecipient(sealedKey: string, recipient: RecipientKeyDto): Promise<GrantRecipientFields> {
  const recipientThumbprint = await computeRecipientThumbprint(recipient);
  const recipientKeyId = recipient.kid ?? recipientThumbprint;
  const mismatch = findRecipientMismatch(sealedKey, recipient, recipientKeyId);
  if (mismatch) throw grantKeyMismatch(`The sealed key ${mismatch}.`);
  return { recipient, recipientKeyId, recipientThumbprint };
}

function toBoundGrantFields(row: KeyGrantRow): BoundGrantFields {
  return {
    accountId: row.account_id,
    sessionId: row.session_id,
    artifactId: row.artifact_id,
    sealedKey: row.sealed_key,
    tokenId: row.token_id,
    appId: row.app_id,
    expiresAt: row.expires_at,
  };
}

/** Returns the data key in a decrypted grant, or null when the payload differs from the terms. */
function extractGrantedKey(payload: Uint8Array, terms: GrantTerms): Buffer | null {
  const content = parseGrantPayload(payload);
  if (!content || BOUND_FIELDS.some((name) => (content[name] ?? null) !== terms[name])) return null;
  const { kty, kid, k } = (content.key ?? {}) as Record<string, unknown>;
  if (kty !== 'oct' || kid !== terms.keyId || typeof k !== 'string') return null;
  const key = Buffer.from(k, 'base64url');
  return key.length === DATA_KEY_BYTES && key.toString('base64url') === k ? key : null;
}

function parseGrantPayload(payload: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Returns why the header of a sealed key does not match the recipient, or null. */
function findRecipientMismatch(sealed: string, { crv }: RecipientKeyDto, keyId: string): string | null {
  const violation = findSealedKeyFormatViolation(sealed);
  if (violation) return violation;
  const { epk, kid } = readJweHeader(sealed) as { epk: { crv?: unknown }; kid?: unknown };
  if (epk.crv !== crv) return `must be sealed to a key on ${crv}`;
  return kid === undefined || kid === keyId ? null : 'names another key (kid)';
}
