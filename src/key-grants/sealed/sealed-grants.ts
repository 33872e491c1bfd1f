import { Injectable } from '@nestjs/common';
import { Config } from '../../config';
import type { KeyGrantRow } from '../key-grant-record';
import type { KeyGrantEntity } from '../key-grant.entity';
import { grantKeyMismatch } from '../key-grants.errors';
import { thumbprintOf, toRecipientKey, type RecipientKey } from '../recipient-key';
import { GrantKeys } from './grant-keys';
import { grantedKey } from './granted-key';
import { sealedForFault } from './sealed-for';

type Recipient = Pick<KeyGrantEntity, 'recipient' | 'recipientKeyId' | 'recipientThumbprint'>;
type Bound = Omit<KeyGrantEntity, keyof Recipient | 'id' | 'createdAt'>;

/** What is sealed in a grant, compared with what the grant says of itself (encryption.md, Key grants). */
@Injectable()
export class SealedGrants {
  constructor(
    private readonly keys: GrantKeys,
    private readonly config: Config,
  ) {}

  /** Whom a new grant is sealed to. @throws ApiError 422 when it does not open or does not match */
  recipientOf(recipient: 'service' | RecipientKey, grant: Bound, keyId: string): Promise<Recipient> {
    return recipient === 'service'
      ? this.forService(grant, keyId)
      : forCaller(grant.sealedKey, toRecipientKey(recipient));
  }

  /** The data key in a grant to the service; whoever asked wipes it. @throws ApiError 422 */
  async open(row: KeyGrantRow, keyId: string): Promise<Buffer> {
    const payload = await this.keys.open(row.sealed_key, row.recipient_thumbprint);
    const key = payload && this.keyIn(payload, toBound(row), keyId);
    if (!key) throw grantKeyMismatch('The grant does not open, or is not the one that was made here.');
    return key;
  }

  private async forService(grant: Bound, keyId: string): Promise<Recipient> {
    const opened = await this.keys.openWithAny(grant.sealedKey);
    if (!opened) throw grantKeyMismatch('The sealed key does not open with a grant key of this service.');
    const key = this.keyIn(opened.payload, grant, keyId);
    if (!key) throw grantKeyMismatch('The sealed key is not that of this grant: what it is bound to differs.');
    key.fill(0);
    return {
      recipient: null,
      recipientKeyId: this.keys.kidOf(opened.thumbprint)!,
      recipientThumbprint: opened.thumbprint,
    };
  }

  private keyIn(payload: Uint8Array, grant: Bound, keyId: string): Buffer | null {
    const expiresAt = grant.expiresAt?.getTime() ?? null;
    try {
      return grantedKey(payload, { ...grant, aud: this.config.publicUrl, expiresAt, keyId });
    } finally {
      payload.fill(0);
    }
  }
}

async function forCaller(sealedKey: string, recipient: RecipientKey): Promise<Recipient> {
  const recipientThumbprint = await thumbprintOf(recipient);
  const recipientKeyId = recipient.kid ?? recipientThumbprint;
  const fault = sealedForFault(sealedKey, recipient, recipientKeyId);
  if (fault) throw grantKeyMismatch(`The sealed key ${fault}.`);
  return { recipient, recipientKeyId, recipientThumbprint };
}

function toBound(row: KeyGrantRow): Bound {
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
