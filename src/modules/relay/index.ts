export { RelayActivityService, type RelayActivityEntry } from './audit/relay-activity.service';
export { RelayCallReader, type RelayCallWithUsername } from './audit/relay-call-reader';
export * from './relay.module';
