export type { RecordProgress, WaitedRecords } from './change-wait-registry';
export * from './change-waits.service';
export * from './waits.module';
