export type { AuditEventDto } from './audit-event.response.dto';
export { ListAuditEventsQueryDto } from './audit-events.dto';
export * from './audit-events.module';
export { AuditEventsService } from './audit-events.service';
