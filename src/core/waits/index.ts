export * from './change-query.dto';
export type { WaitedRecords } from './change-wait-registry';
export * from './change-waits.service';
export * from './waits.module';
