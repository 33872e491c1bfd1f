import { ApiProperty } from '@nestjs/swagger';
import { SCOPE_NAMES, type Scope } from '../../access/auth';
import { IdField, IdSelectionField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import type { PersonalAccessTokenEntity } from './personal-access-token.entity';
import type { PersonalAccessTokenSecretEntity } from './personal-access-token-secret.entity';
import { EventData } from '../../core/events';

/** Token with what people recognize its current secret by. */
export type PersonalAccessTokenRow = RowOf<PersonalAccessTokenEntity> &
  RowOf<Pick<PersonalAccessTokenSecretEntity, 'prefix' | 'last4'>>;

/** Token as returned by the API, without its secret. */
@EventData()
export class ExternalTokenDto {
  @IdField('tok')
  id!: string;

  @ObjectTypeField('token')
  object!: 'token';

  /** @example ci */
  name!: string;

  @ApiProperty({ enum: SCOPE_NAMES, isArray: true, example: ['sessions:read', 'usage:read'] })
  scopes!: Scope[];

  /** Machines that the token is limited to; null if it may act on all machines of the account. */
  @IdSelectionField('mch')
  machineIds!: readonly string[] | null;

  /**
   * First characters of the secret.
   * @example svc_pat_0123
   */
  prefix!: string;

  /**
   * Last characters of the secret.
   * @example 1b2c
   */
  last4!: string;

  /** @example active */
  @ApiProperty({ type: String, enum: ['expired', 'revoked', 'active'] })
  state!: 'active' | 'expired' | 'revoked';

  @UnixTimeField()
  createdAt!: number;

  /** When the token expires; null if it does not expire. */
  @UnixTimeField(1_796_031_000_000)
  expiresAt!: number | null;

  /** When the token was last used. Updated at most once a minute. */
  @UnixTimeField(null)
  lastUsedAt!: number | null;
}

/** Token with its secret, which the service returns once and never stores. */
export class TokenWithSecretDto {
  data!: ExternalTokenDto;

  /**
   * The secret. It is returned only once.
   * @example svc_pat_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
   */
  token!: string;
}

export function toExternalTokenDto(row: PersonalAccessTokenRow, now: number): ExternalTokenDto {
  const isExpired = row.expires_at !== null && row.expires_at.getTime() <= now;
  return {
    id: row.id,
    object: 'token',
    name: row.name,
    scopes: row.scopes,
    machineIds: row.machine_ids,
    prefix: row.prefix,
    last4: row.last4,
    state: row.revoked_at ? 'revoked' : isExpired ? 'expired' : 'active',
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime() ?? null,
    lastUsedAt: row.last_used_at?.getTime() ?? null,
  };
}
