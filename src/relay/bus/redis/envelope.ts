import type { Capability } from '../../../wire';
import type { Refusal } from '../device-connection';
import type { CallAudit } from '../relay-bus';

/** Instances of other versions are told apart by it: what does not know it refuses. */
export const ENVELOPE_VERSION = 1;

/** What the origin says of a call; the route script adds `Routed` before it. */
export interface RequestHead {
  type: 'request';
  version: number;
  /** Which offer of the call this is: a device that moves is followed. */
  attempt: number;
  callId: string;
  origin: string;
  accountId: string;
  method: Capability;
  traceparent?: string;
  audit: CallAudit;
}

/** What the route script adds; times are Redis's, in Unix ms. */
export interface Routed {
  owner: string;
  deviceId: string;
  epoch: number;
  /** Past it the origin has given up on an owner that said nothing: it must not start the call. */
  acceptBy: number;
  answerBy: number;
}

/** How a call ended at its owner; the body of an answered one is the judged answer. */
export type AnswerHead = {
  type: 'answer';
  callId: string;
  attempt: number;
  deviceMs: number;
} & (
  | { kind: 'answered' }
  | { kind: 'refused'; reason: Refusal }
  | { kind: 'lost'; reason: 'timeout' | 'device_disconnected' }
);

export type Head =
  | (RequestHead & Routed)
  | AnswerHead
  /** The owner's confirmation: these calls run, and it lives. */
  | { type: 'running'; callIds: string[] }
  | { type: 'cancel'; callId: string; reason: string }
  /** A newer connection of the device stands elsewhere. */
  | { type: 'superseded'; accountId: string; deviceId: string; epoch: number }
  /** The body is the change. */
  | { type: 'hint'; accountId: string; exceptDeviceId: string | null }
  /** An instance to itself: its subscription lives. */
  | { type: 'tick' };

/** A head of JSON in the first line; the body after it is not read on the way. */
export function encode(head: Head, body = ''): string {
  return `${JSON.stringify({ version: ENVELOPE_VERSION, ...head })}\n${body}`;
}

/** Null for what no version of this service wrote. */
export function decode(message: string): { head: Head & { version: number }; body: string } | null {
  const end = message.indexOf('\n');
  try {
    const head = JSON.parse(message.slice(0, end)) as (Head & { version: number }) | null;
    return typeof head?.type === 'string' ? { head, body: message.slice(end + 1) } : null;
  } catch {
    return null;
  }
}
