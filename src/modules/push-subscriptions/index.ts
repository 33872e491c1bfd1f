export * from './push-subscriptions.module';
