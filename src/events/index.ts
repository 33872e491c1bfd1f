export * from './change';
export * from './changes';
export * from './events.module';
export { Outbox } from './outbox';
export type { OutboxRow } from './outbox.repository';
