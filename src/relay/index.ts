export { RelayActivity, type ActivityRecord } from './audit/relay-activity';
export { RelayCallLookUp, type FoundRelayCall } from './audit/relay-call-look-up';
export * from './relay.module';
