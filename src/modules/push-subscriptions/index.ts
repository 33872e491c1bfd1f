export * from './push-subscriptions.module';
export { PushSubscriptionsService } from './push-subscriptions.service';
