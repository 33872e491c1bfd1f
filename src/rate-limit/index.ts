export * from './address-bucket';
export * from './buckets';
export * from './headers';
export * from './rate-limit-record';
export * from './rate-limit.guard';
export * from './rate-limit.module';
export * from './rate-limited';
export * from './rate-limits';
