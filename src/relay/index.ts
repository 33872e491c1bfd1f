export { RelayActivity, type ActivityRecord } from './audit/relay-activity';
export * from './relay.module';
