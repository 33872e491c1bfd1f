export * from './console.module';
export { ConsoleErrorHandler } from './html/console-error-handler';
