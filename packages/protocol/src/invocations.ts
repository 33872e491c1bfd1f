/** An invocation is a command that may run for up to an hour (docs/protocol/invocations.md). */

/** States in the order in which an invocation passes through them. Only the service writes `starting` and `lost`. */
export const INVOCATION_STATES = [
  'starting',
  'running',
  'completed',
  'cancelled',
  'timed_out',
  'failed',
  'lost',
] as const;
export type InvocationState = (typeof INVOCATION_STATES)[number];

/** States that a device reports. */
export const REPORTED_INVOCATION_STATES = INVOCATION_STATES.filter((state) => state !== 'starting' && state !== 'lost');
export type ReportedInvocationState = Exclude<InvocationState, 'starting' | 'lost'>;

/** Why an invocation failed: the command never started, or its process ended with the device program. */
export const INVOCATION_ERROR_CODES = [
  'command_not_found',
  'permission_denied',
  'cwd_not_found',
  'cwd_not_allowed',
  'process_lost',
  'internal',
] as const;
export type InvocationErrorCode = (typeof INVOCATION_ERROR_CODES)[number];

export const OUTPUT_STREAMS = ['stdout', 'stderr'] as const;
export type OutputStreamName = (typeof OUTPUT_STREAMS)[number];

/** Maximum bytes of output that one call returns. */
export const MAX_OUTPUT_BYTES = 262_144;

/** Maximum time limit of an invocation, in ms. */
export const MAX_INVOCATION_TIMEOUT_MS = 3_600_000;

/**
 * Body of `PUT /v1/machines/{id}/invocations/{localId}`: the whole state each time. Times are Unix ms in server time.
 */
export interface InvocationReport {
  /** Counter of the device from 1. The service ignores a report that isn't newer than the stored one. */
  revision: number;
  state: ReportedInvocationState;
  errorCode: InvocationErrorCode | null;
  /** null while the command runs, and if a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Bytes that the command wrote, including those that are no longer kept. */
  stdoutBytes: number;
  stderrBytes: number;
  startedAt: number | null;
  endedAt: number | null;
}

/** Returns the id of the invocation that a relayed call begins: device, service and caller compute it alike. */
export function computeInvocationId(requestId: string): string {
  return requestId.replace(/^req_/, 'inv_');
}

/** Returns the id of the relayed call that began an invocation. */
export function computeInvocationRequestId(invocationId: string): string {
  return invocationId.replace(/^inv_/, 'req_');
}

/** Whether a device can't change an invocation in this state any more. A lost invocation can return. */
export function isFinalInvocationState(state: InvocationState): boolean {
  return state !== 'starting' && state !== 'running' && state !== 'lost';
}
