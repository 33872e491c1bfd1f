import type { Capability } from '@external-api/protocol';

/** Live output of devices: text of messages, deltas of other kinds, and output of commands. */
export type LiveMessageType = 'delta' | 'progress' | 'output';

/** What live output belongs to: a session for deltas of all kinds, an invocation for output. */
export interface LiveTopic {
  type: LiveMessageType;
  id: string;
}

/** Request of one instance for the live output of a device, valid for a limited time. */
export interface WatchLease {
  accountId: string;
  /** The only device that may send the output. */
  deviceId: string;
  topic: LiveTopic;
  /** Unix ms in server time, at most `WATCH_LEASE_MS` away. A time that is over ends the lease. */
  until: number;
}

/** Lease as the owner of the device receives it. */
export interface ReceivedWatchLease extends WatchLease {
  /** Id of the watching instance. */
  watcherId: string;
}

/** Live output on its way from the owner of the device to a watching instance. */
export interface LiveMessage {
  accountId: string;
  deviceId: string;
  topic: LiveTopic;
  /** Validated `DeltaMessage` or `OutputMessage` as JSON, which contains no line breaks. */
  data: string;
}

/** Capability that a device must declare to be watched. */
export const LIVE_CAPABILITIES: Readonly<Record<LiveMessageType, Capability>> = {
  delta: 'session.watch',
  progress: 'session.progress',
  output: 'invocation',
};

export const getTopicKey = ({ type, id }: LiveTopic): string => `${type}/${id}`;
