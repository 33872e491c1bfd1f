export { QueueMessageService } from './queue-message.service';
export { QueuedMessageDeliveriesService, type DeliveryAttempt } from './queued-message-deliveries.service';
export type { AttemptOutcome } from './queued-message-rules';
export type { MessageText } from './queued-text-cipher';
export { MessageDeliveryDto } from './queued-messages.dto';
export * from './queued-messages.module';
