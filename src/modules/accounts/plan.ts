import { MAX_PAGE_SIZE } from '../../common/pages';
import { DEFAULT_BODY_LIMITS } from '../../common/http';
import type { Config } from '../../core/config';
import type { PlanDto } from './plan.dto';

/** Limits an operator may override per account. The rest are fixed by the protocol. */
export const ACCOUNT_LIMIT_NAMES = [
  'metadataPerMinute',
  'relayPerMinute',
  'maxTokens',
  'maxApps',
  'maxWebhooks',
  'maxStorageBytes',
  'maxEventBytesPerDay',
  'maxKeptAnswerBytes',
  'maxDevices',
  'maxKeyGrants',
] as const;
export type AccountLimits = Partial<Record<(typeof ACCOUNT_LIMIT_NAMES)[number], number>>;

/**
 * Returns the limits of an account's plan under the names of `/me` (docs/protocol/external-api.md#plan).
 * @param accountLimits overrides, which take precedence
 */
export function getPlan({ rateLimits, planLimits }: Config, accountLimits: AccountLimits = {}): PlanDto {
  return {
    name: Object.keys(accountLimits).length > 0 ? 'custom' : 'standard',
    limits: {
      metadataPerMinute: rateLimits.metadata,
      relayPerMinute: rateLimits.relay,
      maxPageSize: MAX_PAGE_SIZE,
      maxRelayWaitMs: 30_000,
      maxInvokeTimeoutMs: 28_000,
      maxRequestBytes: DEFAULT_BODY_LIMITS.bytes,
      ...planLimits,
      ...accountLimits,
    },
  };
}
