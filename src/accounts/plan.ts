import { MAX_PAGE_SIZE } from '../common/pages';
import { DEFAULT_BODY_LIMIT } from '../common/http';
import type { Config } from '../config';
import type { PlanRecord } from './plan-record';

/** The limits of an account's plan, under the names of `/me` (external-api.md §3). */
export function planOf({ rateLimits }: Config): PlanRecord {
  return {
    name: 'standard',
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
    },
  };
}
