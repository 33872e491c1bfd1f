export * from './api-error';
export * from './error-catalog';
export * from './problem-document';
