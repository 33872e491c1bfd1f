export type { AttemptSlot, AttemptStatistics } from './deliveries/attempt-summary';
export { DeliveriesService, MAX_SUMMARIZED_ATTEMPTS } from './deliveries/deliveries.service';
export { formatDelivery, type FormattedDelivery } from './dispatch/delivery-format';
export { DeliveryAdminService, type DeliverySelection } from './deliveries/delivery-admin.service';
export type { DeliverySearch, DeliveryTarget } from './deliveries/delivery-admin.repository';
export { ListDeliveriesQueryDto, ReplayFailedDeliveriesDto } from './deliveries/deliveries.dto';
export { readDeliverySubject, WEBHOOK_DELIVERY_STATES } from './deliveries/delivery.response.dto';
export type {
  DeliveryDto,
  DeliverySubject,
  WebhookDeliveryState,
  DeliveryWithAttemptsDto,
} from './deliveries/delivery.response.dto';
export { SecretReencryptionService } from './subscriptions/secret-reencryption.service';
export { WebhookControlService } from './subscriptions/webhook-control.service';
export { WebhookDto, type SubscribedEvent, type WebhookFormat } from './subscriptions/webhook.response.dto';
export { CreateWebhookDto, RotateWebhookSecretDto, UpdateWebhookDto } from './subscriptions/webhooks.dto';
export * from './webhooks.module';
export { WebhooksService } from './subscriptions/webhooks.service';
