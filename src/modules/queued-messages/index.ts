export { QueueMessageService, type QueuedReply } from './queue-message.service';
export { QueuedMessageDeliveriesService, type DeliveryAttempt } from './queued-message-deliveries.service';
export type { AttemptOutcome } from './queued-message-rules';
export { QueuedMessageDto } from './queued-message.response.dto';
export type { MessageText } from './queued-text-cipher';
export { MessageDeliveryDto } from './queued-messages.dto';
export * from './queued-messages.module';
