export { DeliveriesService } from './deliveries/deliveries.service';
export type { DeliveryRecord, DeliveryWithLogRecord } from './deliveries/delivery-record';
export { ownerOf } from './subscriptions/creator';
export { SecretResealing } from './subscriptions/secret-resealing';
export { SecretVault } from './subscriptions/secret-vault';
export { WebhookControl } from './subscriptions/webhook-control.service';
export type { WebhookRecord } from './subscriptions/webhook-record';
export * from './webhooks.module';
export { WebhooksService } from './subscriptions/webhooks.service';
