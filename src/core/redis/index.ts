export * from './change-signals';
export * from './open-redis';
export * from './redis-timeout';
export * from './redis.module';
