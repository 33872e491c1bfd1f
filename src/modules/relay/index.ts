export { ACTIVITY_OUTCOMES, ListActivityQueryDto, type ActivityOutcome } from './audit/list-activity-query.dto';
export { RelayActivityService, type RelayActivityEntry } from './audit/relay-activity.service';
export { RelayCallReader } from './audit/relay-call-reader';
export { LiveOutputService } from './live/live-output.service';
export * from './relay.module';
