export * from './config';
export * from './config.module';
export type { GrantKey } from './grant-key';
export * from './key-ring';
export * from './load-config';
