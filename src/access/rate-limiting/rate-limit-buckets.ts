import type { CallerAccount } from '../auth';
import type { Config } from '../../core/config';
import { HOUR, MINUTE } from '../../common/clock';

interface BucketDefinition {
  windowMs: number;
  /** Calls per window, or the name of the setting that contains them. */
  limit: number | keyof Config['rateLimits'];
}

/** Bucket that all tokens of an account share. `GET /me` and the console show its state. */
interface AccountBucketDefinition extends BucketDefinition {
  /** The account's limit that overrides `limit`. */
  accountLimit: keyof CallerAccount['limits'];
  /** The calls that consume from it, for the console. */
  calls: string;
}

const ACCOUNT_BUCKETS = {
  metadata: {
    windowMs: MINUTE,
    limit: 'metadata',
    accountLimit: 'metadataPerMinute',
    calls: 'calls that are not relayed, cancellations and decisions',
  },
  relay: {
    windowMs: MINUTE,
    limit: 'relay',
    accountLimit: 'relayPerMinute',
    calls: 'messages, commands and all other calls that are relayed to devices',
  },
} as const satisfies Record<string, AccountBucketDefinition>;

/** All rate limit buckets (docs/protocol/external-api.md#rate-limits). A new bucket is declared here only. */
const BUCKETS = {
  ...ACCOUNT_BUCKETS,
  device: { windowMs: MINUTE, limit: 1_200 },
  address: { windowMs: MINUTE, limit: 'address' },
  'sign-up': { windowMs: HOUR, limit: 100 },
  pairing: { windowMs: MINUTE, limit: 60 },
  'pairing-status': { windowMs: MINUTE, limit: 1_200 },
  'pairing-codes': { windowMs: 10 * MINUTE, limit: 10 },
  'wrong-pairing-codes': { windowMs: 10 * MINUTE, limit: 10 },
  'pairing-lock': { windowMs: 10 * MINUTE, limit: 1 },
  authorize: { windowMs: MINUTE, limit: 600 },
  packages: { windowMs: MINUTE, limit: 300 },
  'client-auth': { windowMs: MINUTE, limit: 30 },
} as const satisfies Record<string, BucketDefinition>;

export type BucketName = keyof typeof BUCKETS;
export type AccountBucketName = keyof typeof ACCOUNT_BUCKETS;

/** In display order. */
export const ACCOUNT_BUCKET_NAMES = Object.keys(ACCOUNT_BUCKETS) as AccountBucketName[];

/** Buckets that a 429 in the OpenAPI document may name. The others belong to routes that the document omits. */
export const DOCUMENTED_BUCKET_NAMES: readonly BucketName[] = [...ACCOUNT_BUCKET_NAMES, 'device', 'address'];

/** Bucket with its limit for the service or for one account. */
export interface RateLimitBucket {
  name: BucketName;
  limit: number;
  windowMs: number;
}

/** @param accountLimits limits of the account that consumes from the bucket; they override the configuration */
export function resolveBucket(
  name: BucketName,
  { rateLimits }: Config,
  accountLimits: CallerAccount['limits'] = {},
): RateLimitBucket {
  const { windowMs, limit }: BucketDefinition = BUCKETS[name];
  const override = isAccountBucket(name) ? accountLimits[ACCOUNT_BUCKETS[name].accountLimit] : undefined;
  return { name, windowMs, limit: override ?? (typeof limit === 'number' ? limit : rateLimits[limit]) };
}

/** Describes the calls that consume from the bucket. */
export function describeAccountBucket(name: AccountBucketName): string {
  return ACCOUNT_BUCKETS[name].calls;
}

function isAccountBucket(name: BucketName): name is AccountBucketName {
  return name in ACCOUNT_BUCKETS;
}
