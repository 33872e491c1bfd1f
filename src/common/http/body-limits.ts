import { SetMetadata } from '@nestjs/common';
import type { JsonLimits } from './json-limits';

/** Limits on the body of a route. */
export interface BodyLimits extends JsonLimits {
  /** Maximum size, both as received and decompressed. */
  bytes: number;
  allowsCompression: boolean;
}

export const DEFAULT_BODY_LIMITS: BodyLimits = {
  bytes: 1_048_576,
  depth: 64,
  entries: 10_000,
  allowsCompression: true,
};

/** Limits for routes without a credential, where no account can be charged for the cost of a body. */
export const PUBLIC_BODY_LIMITS: BodyLimits = {
  bytes: 16_384,
  depth: 64,
  entries: 200,
  allowsCompression: false,
};

const BODY_LIMITS_KEY = 'http:body-limits';

/** Overrides the maximum body size of a route. */
export const MaxBodyBytes = (bytes: number) => SetMetadata(BODY_LIMITS_KEY, { ...DEFAULT_BODY_LIMITS, bytes });

/** Applies {@link PUBLIC_BODY_LIMITS} to a route that requires no credential. */
export const PublicBodyLimits = () => SetMetadata(BODY_LIMITS_KEY, PUBLIC_BODY_LIMITS);

export function getBodyLimits(handler: object): BodyLimits {
  return (Reflect.getMetadata(BODY_LIMITS_KEY, handler) as BodyLimits | undefined) ?? DEFAULT_BODY_LIMITS;
}
