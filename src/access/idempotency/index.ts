export type { StoredResponse } from './response-cipher';
export { acceptsIdempotencyKey, IdempotencyKey } from './idempotency-key';
export * from './idempotency.module';
export * from './idempotency.service';
export * from './idempotent-call';
export * from './idempotent-writes.service';
