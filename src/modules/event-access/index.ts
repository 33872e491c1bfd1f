export * from './event-access';
export * from './event-access.module';
export { EventPayloadService } from './event-payload.service';
export { toAccountRecipient, toEventRecipient, type EventRecipient } from './event-recipient';
