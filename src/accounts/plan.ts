import { MAX_PAGE_SIZE } from '../common/pages';
import { DEFAULT_BODY_LIMIT } from '../common/http';
import type { Config } from '../config';
import type { PlanRecord } from './plan-record';

/** Those that an operator can set for one account; the others are of the protocol. */
export const OWN_LIMITS = [
  'metadataPerMinute',
  'relayPerMinute',
  'maxTokens',
  'maxApps',
  'maxWebhooks',
  'maxStorageBytes',
] as const;
export type AccountLimits = Partial<Record<(typeof OWN_LIMITS)[number], number>>;

/** The limits of an account's plan, under the names of `/me` (external-api.md §3). @param own the account's, which come first */
export function planOf({ rateLimits }: Config, own: AccountLimits = {}): PlanRecord {
  return {
    name: Object.keys(own).length > 0 ? 'custom' : 'standard',
    limits: {
      metadataPerMinute: rateLimits.metadata,
      relayPerMinute: rateLimits.relay,
      maxPageSize: MAX_PAGE_SIZE,
      maxRelayWaitMs: 30_000,
      maxInvokeTimeoutMs: 28_000,
      maxTokens: 50,
      maxApps: 20,
      maxWebhooks: 20,
      maxRequestBytes: DEFAULT_BODY_LIMIT,
      maxStorageBytes: 1_073_741_824,
      ...own,
    },
  };
}
