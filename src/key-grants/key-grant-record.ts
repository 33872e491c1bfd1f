import type { RecipientKey } from './recipient-key';

/** A row of `key_grants`. */
export interface KeyGrantRow {
  id: string;
  account_id: string;
  session_id: string | null;
  artifact_id: string | null;
  recipient: RecipientKey | null;
  recipient_key_id: string;
  recipient_thumbprint: string;
  sealed_key: string;
  token_id: string | null;
  app_id: string | null;
  created_at: Date;
  expires_at: Date | null;
}

/** The grant as the API shows it: never the sealed key (encryption.md, Key grants). */
export interface KeyGrantRecord {
  id: string;
  object: 'key_grant';
  sessionId: string | null;
  artifactId: string | null;
  recipient: 'service' | RecipientKey;
  recipientKeyId: string;
  tokenId: string | null;
  appId: string | null;
  createdAt: number;
  expiresAt: number | null;
}

export function toKeyGrantRecord(row: KeyGrantRow): KeyGrantRecord {
  return {
    id: row.id,
    object: 'key_grant',
    sessionId: row.session_id,
    artifactId: row.artifact_id,
    recipient: row.recipient ?? 'service',
    recipientKeyId: row.recipient_key_id,
    tokenId: row.token_id,
    appId: row.app_id,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime() ?? null,
  };
}
