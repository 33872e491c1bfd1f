export type { UsageDto } from './usage.response.dto';
export * from './usage.module';
export { UsageService } from './usage.service';
