import { ApiProperty } from '@nestjs/swagger';
import { SCOPE_NAMES, type Scope } from '../../access/auth';
import { IdField, IdSelectionField, UnixTimeField } from '../../common/http';
import { DeprecationNoticeDto } from '../../access/deprecation';
import { RateLimitStateDto, type AccountBucketName } from '../../access/rate-limiting';
import { PlanDto } from './plan.dto';

/** The account that a token acts for. */
export class AccountIdentityDto {
  @IdField('acc')
  id!: string;

  /** @example ada */
  username!: string;

  /** When the account was created; null without the scope `profile:read`. */
  @UnixTimeField()
  createdAt!: number | null;
}

/** The token that made the call. */
export class TokenIdentityDto {
  @IdField('tok')
  id!: string;

  /**
   * Type of token: `pat` for a personal access token, `oauth` for the access token of an app.
   * @example pat
   */
  type!: 'pat' | 'oauth';

  /** @example ci */
  name!: string;

  @ApiProperty({ enum: SCOPE_NAMES, isArray: true, example: ['sessions:read', 'usage:read'] })
  scopes!: readonly Scope[];

  /** Machines that the token is limited to; null if it may act on all machines of the account. */
  @IdSelectionField('mch')
  machineIds!: readonly string[] | null;

  @UnixTimeField()
  createdAt!: number;

  /** When the token expires; null if it does not expire. */
  @UnixTimeField(1_796_031_000_000)
  expiresAt!: number | null;

  /** When the token was last used. Updated at most once a minute. */
  @UnixTimeField()
  lastUsedAt!: number | null;

  /** Client id of the app; null for a personal access token. */
  @ApiProperty({ example: null })
  appId!: string | null;
}

export class MeDataDto {
  account!: AccountIdentityDto;
  token!: TokenIdentityDto;
  plan!: PlanDto;

  /** Deprecated routes of this API that still work. */
  @ApiProperty({ example: [] })
  deprecations!: DeprecationNoticeDto[];
}

/** States of both rate limits of the account. */
export class RateLimitsDto implements Record<AccountBucketName, RateLimitStateDto> {
  metadata!: RateLimitStateDto;

  @ApiProperty({ example: { limit: 60, remaining: 60, reset: 60 } })
  relay!: RateLimitStateDto;
}

export class MeMetaDto {
  /** State of the rate limit that applied to this call. */
  rateLimit!: RateLimitStateDto;
  rateLimits!: RateLimitsDto;
}

/** `GET /me` (docs/protocol/external-api.md#get-me). */
export class MeDto {
  data!: MeDataDto;
  meta!: MeMetaDto;
}
