import type { Scope } from '../auth';

/** A token with its current secret's hint, in the tables' own names. */
export interface ExternalTokenRow {
  id: string;
  account_id: string;
  name: string;
  scopes: Scope[];
  prefix: string;
  last4: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/** The token as the API shows it: never its secret (external-api.md §2). */
export interface ExternalTokenRecord {
  id: string;
  object: 'token';
  name: string;
  scopes: Scope[];
  prefix: string;
  last4: string;
  state: 'active' | 'expired' | 'revoked';
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export function toExternalTokenRecord(row: ExternalTokenRow, now: number): ExternalTokenRecord {
  const expired = row.expires_at !== null && row.expires_at.getTime() <= now;
  return {
    id: row.id,
    object: 'token',
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    last4: row.last4,
    state: row.revoked_at ? 'revoked' : expired ? 'expired' : 'active',
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime() ?? null,
    lastUsedAt: row.last_used_at?.getTime() ?? null,
  };
}
