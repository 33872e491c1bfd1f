import { ApiProperty } from '@nestjs/swagger';
import { SCOPE_NAMES, type Scope } from '../../../access/auth';
import { ObjectTypeField, UnixTimeField } from '../../../common/http';
import type { RowOf } from '../../../core/database';
import type { DeveloperAppEntity } from '../developer-app.entity';
import type { AppAuthorizationEntity } from './app-authorization.entity';

/** Authorization with public data of its app. */
export type AuthorizedAppRow = RowOf<AppAuthorizationEntity> &
  RowOf<Pick<DeveloperAppEntity, 'name' | 'homepageUrl'>> & { owner_username: string };

/** App authorized to act for an account (docs/protocol/oauth.md#authorized-apps). */
export class AuthorizedAppDto {
  /** @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
  clientId!: string;

  @ObjectTypeField('authorized_app')
  object!: 'authorized_app';

  /** @example Notes */
  name!: string;

  /** @example https://app.example */
  homepageUrl!: string | null;

  /**
   * Username of the account that registered the app.
   * @example grace
   */
  ownerUsername!: string;

  @ApiProperty({ enum: SCOPE_NAMES, isArray: true, example: ['sessions:read'] })
  scopes!: Scope[];

  /** When the app was authorized for the first time. */
  @UnixTimeField()
  createdAt!: number;

  /** When the app last used its authorization; null if it never has. */
  @UnixTimeField()
  lastUsedAt!: number | null;
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
