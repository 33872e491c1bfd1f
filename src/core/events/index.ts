export * from './domain-event';
export * from './event-data';
export * from './event-publisher';
export * from './events.module';
export { EventOutboxService, type CommittedEvent } from './event-outbox.service';
export type { LogSearch, OutboxRow } from './outbox.repository';
