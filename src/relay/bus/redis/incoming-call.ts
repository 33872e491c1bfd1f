import type { RelayRequest } from '../../../wire';
import type { DeviceConnection } from '../device-connection';
import type { RequestHead, Routed } from './envelope';

export type RequestEnvelope = RequestHead & Routed;

/** A call of another instance that runs on a device of this one. */
export interface IncomingCall {
  head: RequestEnvelope;
  request: RelayRequest;
  connection: DeviceConnection;
  /** `performance.now()` */
  startedAt: number;
  /** Its origin died, and its device was told. */
  orphaned: boolean;
}
