import type { RelayRequest } from '@external-api/protocol';
import type { DeviceConnection } from '../device-connection';
import type { RequestHead } from './envelope';

/** A call from another instance that runs on a device of this one. */
export interface IncomingCall {
  head: RequestHead;
  request: RelayRequest;
  connection: DeviceConnection;
  /** `performance.now()` */
  startedAt: number;
  /** Whether the origin died and the device got a cancellation. */
  isOrphaned: boolean;
}
