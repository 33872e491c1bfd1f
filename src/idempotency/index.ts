export type { StoredAnswer } from './answer-vault';
export * from './idempotency-key.decorator';
export * from './idempotency.module';
export * from './idempotency.service';
export * from './keyed-writes';
