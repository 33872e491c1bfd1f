export * from './audit-acts';
export * from './audit.module';
export { AuditRecorder, type AuditAct, type AuditActor } from './audit-recorder';
export type { AuditEventRow } from './audit-event.entity';
