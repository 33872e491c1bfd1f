import { SetMetadata } from '@nestjs/common';
import type { Principal } from '../auth';
import type { Config } from '../config';
import { HOUR, MINUTE } from '../common/clock';

/** Every rate bucket; `q` calls per window of `w` ms (external-api.md §1, Rate limits; device-api.md; oauth.md). */
export type BucketName =
  | 'metadata'
  | 'relay'
  | 'device'
  | 'address'
  | 'sign-up'
  | 'pairing'
  | 'pairing-codes'
  | 'pairing-lock'
  | 'authorize'
  | 'client-auth';

export interface Bucket {
  name: BucketName;
  limit: number;
  windowMs: number;
}

export function buckets({ rateLimits }: Config): Record<BucketName, Bucket> {
  return {
    metadata: { name: 'metadata', limit: rateLimits.metadata, windowMs: MINUTE },
    relay: { name: 'relay', limit: rateLimits.relay, windowMs: MINUTE },
    device: { name: 'device', limit: 1200, windowMs: MINUTE },
    address: { name: 'address', limit: 60, windowMs: MINUTE },
    'sign-up': { name: 'sign-up', limit: 100, windowMs: HOUR },
    pairing: { name: 'pairing', limit: 60, windowMs: MINUTE },
    'pairing-codes': { name: 'pairing-codes', limit: 10, windowMs: 10 * MINUTE },
    'pairing-lock': { name: 'pairing-lock', limit: 1, windowMs: 10 * MINUTE },
    authorize: { name: 'authorize', limit: 600, windowMs: MINUTE },
    'client-auth': { name: 'client-auth', limit: 30, windowMs: MINUTE },
  };
}

const ROUTE_BUCKET = 'rate-limit:bucket';

/** The route draws on the account's `relay` bucket instead of `metadata`. */
export const RelayBucket = () => SetMetadata(ROUTE_BUCKET, 'relay');

/** The bucket of a route, by the kind of its callers. */
export function bucketOf(kind: Principal['kind'], handler: object): 'device' | 'relay' | 'metadata' {
  if (kind === 'device') return 'device';
  return Reflect.getMetadata(ROUTE_BUCKET, handler) === 'relay' ? 'relay' : 'metadata';
}

/** Of a bucket, for this principal: its account's own limit where it has one. */
export function limitFor({ account }: Principal, { name, limit }: Bucket): number {
  if (name === 'metadata') return account.limits.metadataPerMinute ?? limit;
  if (name === 'relay') return account.limits.relayPerMinute ?? limit;
  return limit;
}

/** Which bucket a call of this principal to this handler draws on, and under whose name. */
export function drawOf(principal: Principal, handler: object): { bucket: BucketName; owner: string } {
  const owner = principal.kind === 'device' ? principal.deviceId : principal.accountId;
  return { bucket: bucketOf(principal.kind, handler), owner };
}
