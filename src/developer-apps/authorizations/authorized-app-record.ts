import type { Scope } from '../../auth';

/** An authorization with its app, in the tables' own names. */
export interface AuthorizedAppRow {
  id: string;
  app_id: string;
  name: string;
  homepage_url: string | null;
  owner_username: string;
  scopes: Scope[];
  created_at: Date;
  last_used_at: Date | null;
}

/** What may act for a person (oauth.md, People's side). */
export interface AuthorizedAppRecord {
  clientId: string;
  object: 'authorized_app';
  name: string;
  homepageUrl: string | null;
  ownerUsername: string;
  scopes: Scope[];
  /** Since when. */
  createdAt: number;
  lastUsedAt: number | null;
}

export function toAuthorizedAppRecord(row: AuthorizedAppRow): AuthorizedAppRecord {
  return {
    clientId: row.app_id,
    object: 'authorized_app',
    name: row.name,
    homepageUrl: row.homepage_url,
    ownerUsername: row.owner_username,
    scopes: row.scopes,
    createdAt: row.created_at.getTime(),
    lastUsedAt: row.last_used_at?.getTime() ?? null,
  };
}
