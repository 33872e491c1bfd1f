import type { Scope } from '../../../access/auth';
import type { RowOf } from '../../../core/database';
import type { DeveloperAppEntity } from '../developer-app.entity';
import type { AppAuthorizationEntity } from './app-authorization.entity';

/** Authorization with its app, with the tables' column names. */
/** Authorization with public data of its app. */
export type AuthorizedAppRow = RowOf<AppAuthorizationEntity> &
  RowOf<Pick<DeveloperAppEntity, 'name' | 'homepageUrl'>> & { owner_username: string };

/** App authorized to act for an account (docs/protocol/oauth.md#authorized-apps). */
export interface AuthorizedAppDto {
  clientId: string;
  object: 'authorized_app';
  name: string;
  homepageUrl: string | null;
  ownerUsername: string;
  scopes: Scope[];
  /** Unix ms of the first authorization. */
  createdAt: number;
  lastUsedAt: number | null;
}

export function toAuthorizedAppDto(row: AuthorizedAppRow): AuthorizedAppDto {
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
