import { ApiProperty } from '@nestjs/swagger';
import { SCOPE_NAMES, type Scope } from '../auth';
import { IdField, TimeField } from '../common/http';
import { DeprecationNotice } from '../deprecations';
import { RateLimitState } from '../rate-limit';
import { PlanRecord } from './plan-record';

/** The account that a token acts for. */
export class AccountIdentityRecord {
  @IdField('acc')
  id!: string;

  /** @example ada */
  username!: string;

  /** null without the scope `profile:read`. */
  @TimeField()
  createdAt!: number | null;
}

/** The token that made the call. */
export class TokenIdentityRecord {
  @IdField('tok')
  id!: string;

  /**
   * A personal access token, or the token of an app acting for a person.
   * @example pat
   */
  type!: 'pat' | 'oauth';

  /** @example ci */
  name!: string;

  @ApiProperty({ enum: SCOPE_NAMES, isArray: true, example: ['sessions:read', 'usage:read'] })
  scopes!: readonly Scope[];

  @TimeField()
  createdAt!: number;

  /** null: it does not expire. */
  @TimeField(1_796_031_000_000)
  expiresAt!: number | null;

  /** Written at most once a minute. */
  @TimeField()
  lastUsedAt!: number | null;

  /** Client id of the app; null for a personal access token. */
  @ApiProperty({ example: null })
  appId!: string | null;
}

export class MeDataRecord {
  account!: AccountIdentityRecord;
  token!: TokenIdentityRecord;
  plan!: PlanRecord;

  /** Those of this API's routes that are on their way out, and not gone yet. */
  @ApiProperty({ example: [] })
  deprecations!: DeprecationNotice[];
}

/** Both rate buckets of the account. */
export class RateLimitsRecord {
  metadata!: RateLimitState;

  @ApiProperty({ example: { limit: 60, remaining: 60, reset: 60 } })
  relay!: RateLimitState;
}

export class MeMetaRecord {
  /** The bucket that this call drew on. */
  rateLimit!: RateLimitState;
  rateLimits!: RateLimitsRecord;
}

/** `GET /me` (external-api.md §3). */
export class MeRecord {
  data!: MeDataRecord;
  meta!: MeMetaRecord;
}
