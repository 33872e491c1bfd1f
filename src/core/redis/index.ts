export * from './change-signals';
export * from './cluster-client';
export * from './redis-client';
export * from './open-redis';
export * from './redis-settings';
export * from './redis-timeout';
export * from './redis.module';
export * from './subscriber';
