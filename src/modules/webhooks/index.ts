export { DeliveriesService } from './deliveries/deliveries.service';
export { ListDeliveriesQueryDto, ReplayFailedDeliveriesDto } from './deliveries/deliveries.dto';
export { readDeliverySubject } from './deliveries/delivery.response.dto';
export type {
  DeliveryDto,
  DeliverySubject,
  WebhookDeliveryState,
  DeliveryWithAttemptsDto,
} from './deliveries/delivery.response.dto';
export type { DeliveryError } from './sending/webhook-exchange';
export { buildDeliveryHeaders, type EventHeaders } from './sending/delivery-headers';
export { SecretReencryptionService } from './subscriptions/secret-reencryption.service';
export { SigningSecretCipher } from './subscriptions/signing-secret-cipher';
export { WebhookControlService } from './subscriptions/webhook-control.service';
export { WebhookDto, type SubscribedEvent } from './subscriptions/webhook.response.dto';
export { CreateWebhookDto, RotateWebhookSecretDto, UpdateWebhookDto } from './subscriptions/webhooks.dto';
export * from './webhooks.module';
export { WebhooksService } from './subscriptions/webhooks.service';
