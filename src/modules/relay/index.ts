export { RelayActivityService, type RelayActivityEntry } from './audit/relay-activity.service';
export { RelayCallReader, type RelayCallWithUsername } from './audit/relay-call-reader';
export { LiveOutputService } from './live/live-output.service';
export * from './relay.module';
