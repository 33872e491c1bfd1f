export { type DeviceAnswer } from './device-answer';
export { DeviceCallLimiter, MAX_IN_FLIGHT_CALLS } from './device-call-limiter';
export { DeviceConnection } from './device-connection';
export { type DevicePresence, type StaleDevicePresence } from './device-presence';
export {
  LIVE_CAPABILITIES,
  type LiveMessage,
  type LiveMessageType,
  type LiveTopic,
  type ReceivedWatchLease,
  type WatchLease,
  getTopicKey,
} from './live-output';
export { type SyncNotificationAudience } from './local-connection-registry';
export { RelayBus } from './relay-bus';
export {
  type CallAudit,
  type DeviceCandidate,
  type NotDeliveredReason,
  type RelayCall,
  type CallOutcome,
} from './relay-call';
export { type OrphanedCall, RelayCluster } from './relay-cluster';
export { type EngineConnection, getPendingAcknowledgements, getWebSocket } from './socket-internals';
export { TokenBucket } from './token-bucket';
export { RelayBusModule } from './relay-bus.module';
