export * from './http-logger';
export * from './logger';
