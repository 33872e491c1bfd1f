export * from './relay.module';
