import { ApiProperty } from '@nestjs/swagger';
import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import type { DeveloperAppEntity, DeveloperAppState } from './developer-app.entity';

/** Secret of an app, read from the database as JSON with times in Unix ms. */
export class AppSecretDto {
  @IdField('sec')
  id!: string;

  /**
   * Last characters of the secret.
   * @example 1b2c
   */
  last4!: string;

  @UnixTimeField()
  createdAt!: number;

  /** When the secret expires; null if it does not expire. */
  @UnixTimeField(null)
  expiresAt!: number | null;

  @UnixTimeField(null)
  lastUsedAt!: number | null;
}

/** App with its secrets, oldest first, and the number of its authorizations. */
export type DeveloperAppRow = RowOf<DeveloperAppEntity> & { secrets: AppSecretDto[]; active_users: number };

/** App as returned to its owner, without expired secrets. */
export class DeveloperAppDto {
  /** @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
  clientId!: string;

  @ObjectTypeField('app')
  object!: 'app';

  /** @example Notes */
  name!: string;

  /** @example Collects the findings of your agents */
  description!: string | null;

  /** @example https://app.example */
  homepageUrl!: string | null;

  @ApiProperty({ type: [String], example: ['https://app.example/callback'] })
  redirectUris!: string[];

  /** `suspended`: an operator of the service has stopped the app. Its developer cannot enable it. */
  @ApiProperty({ type: String, enum: ['active', 'disabled', 'suspended'], example: 'active' })
  state!: DeveloperAppState | 'suspended';

  secrets!: AppSecretDto[];

  /** Number of people who have authorized the app. */
  @CountField(0)
  activeUsers!: number;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  updatedAt!: number;
}

/** App with a secret, which the service returns once and never stores. */
export class AppWithSecretDto {
  data!: DeveloperAppDto;

  /**
   * The secret. It is returned only once.
   * @example svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
   */
  clientSecret!: string;
}

export function toDeveloperAppDto(row: DeveloperAppRow, now: number): DeveloperAppDto {
  return {
    clientId: row.id,
    object: 'app',
    name: row.name,
    description: row.description,
    homepageUrl: row.homepage_url,
    redirectUris: row.redirect_uris,
    state: row.suspended_at ? 'suspended' : row.state,
    secrets: row.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
    activeUsers: row.active_users,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
