export * from './http-logger';
export * from './logger';
export * from './terminal-log';
