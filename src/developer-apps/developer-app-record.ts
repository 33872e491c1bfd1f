import type { AppState } from './developer-app.entity';

/** A secret of an app as the database puts it into JSON; times in Unix ms. */
export interface AppSecretRecord {
  id: string;
  last4: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

/** An app with its secrets, the oldest first, in the tables' own names. */
export interface DeveloperAppRow {
  id: string;
  name: string;
  description: string | null;
  homepage_url: string | null;
  redirect_uris: string[];
  state: AppState;
  secrets: AppSecretRecord[];
  active_users: number;
  created_at: Date;
  updated_at: Date;
}

/** The app as its owner sees it: secrets that have ended are not shown (oauth.md, Apps). */
export interface DeveloperAppRecord {
  clientId: string;
  object: 'app';
  name: string;
  description: string | null;
  homepageUrl: string | null;
  redirectUris: string[];
  state: AppState;
  secrets: AppSecretRecord[];
  /** People with a standing authorization. */
  activeUsers: number;
  createdAt: number;
  updatedAt: number;
}

export function toDeveloperAppRecord(row: DeveloperAppRow, now: number): DeveloperAppRecord {
  return {
    clientId: row.id,
    object: 'app',
    name: row.name,
    description: row.description,
    homepageUrl: row.homepage_url,
    redirectUris: row.redirect_uris,
    state: row.state,
    secrets: row.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
    activeUsers: row.active_users,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
