export * from './command-spans';
export * from './request-span';
export { traceStatements } from './statement-spans';
export { startTracing } from './trace-export.service';
export * from './tracing.module';
