export { DocsErrorHandler } from './docs-error-handler';
export * from './docs.module';
