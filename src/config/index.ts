export * from './config';
export * from './config.module';
export * from './key-ring';
export * from './load-config';
