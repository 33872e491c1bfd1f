export * from './console.module';
export { ConsoleErrors } from './html/console-errors';
