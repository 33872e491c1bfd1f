export * from './config';
export * from './config.module';
export type { GrantKey } from './grant-key';
export * from './derived-key.provider';
export * from './load-config';
export * from './redis-url';
export { generateVapidKey } from './vapid-key';
