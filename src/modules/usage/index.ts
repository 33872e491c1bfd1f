export type { CallerUsage, OperationUsage, UsageDto, UsageShare } from './usage.response.dto';
export * from './usage.module';
export { UsageService } from './usage.service';
