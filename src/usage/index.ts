export type { UsageRecord } from './usage-record';
export * from './usage.module';
export { UsageService } from './usage.service';
