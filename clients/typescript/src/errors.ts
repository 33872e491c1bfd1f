import type { components } from './generated/external-api.ts';
import type { Outcome, Problem } from './types.ts';

type Schemas = components['schemas'];
/** Schemas of single errors, which have one code each. */
type ProblemCodes = {
  [Name in keyof Schemas & `${string}Problem`]: Schemas[Name] extends { code: infer Code extends string }
    ? Code
    : never;
};

/** Codes of errors that the service documents. `connection_failed` and `unexpected_response` are the client's own. */
export type ErrorCode =
  | ProblemCodes[Exclude<keyof ProblemCodes, 'Problem'>]
  | 'connection_failed'
  | 'unexpected_response';

export interface ApiErrorInit {
  status: number;
  code: string;
  message: string;
  outcome?: Outcome | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  problem?: (Problem & Record<string, unknown>) | undefined;
  cause?: unknown;
}

/**
 * An error response of the service, or of a proxy before it. Match on `code`.
 *
 * `outcome` says what is known about the effect of a call: `not_delivered` (nothing ran), `unknown` (it may have run)
 * or `answered` (the device answered with an error). It is undefined where the call has no effect on a device.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status, 0 without a response. */
  readonly status: number;
  /** Stable code of the error, such as `no_online_device`. */
  readonly code: ErrorCode | (string & {});
  /** Of all attempts: `unknown` if one of them may have run, whatever the last one's `problem` says. */
  outcome: Outcome | undefined;
  /** ID of the call in the service's log, for support. */
  readonly requestId: string | undefined;
  /** Seconds until a retry makes sense, as the service says. */
  readonly retryAfterSeconds: number | undefined;
  /** The problem document (RFC 9457) as received. */
  readonly problem: (Problem & Record<string, unknown>) | undefined;
  /** Key of the call. Repeat the call with this key to get the first call's response. */
  idempotencyKey: string | undefined;
  /** How often the request was sent. */
  attempts = 1;

  constructor(init: ApiErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.status = init.status;
    this.code = init.code;
    this.outcome = init.outcome;
    this.requestId = init.requestId;
    this.retryAfterSeconds = init.retryAfterSeconds;
    this.problem = init.problem;
  }
}

/** No complete response arrived: `status` is 0, `code` is `connection_failed`, and `cause` is the error of `fetch`. */
export class ConnectionError extends ApiError {
  override name = 'ConnectionError';
  /** Whether a repetition within seconds does not help, such as with a wrong address. */
  readonly isLasting: boolean;

  constructor(message: string, outcome: Outcome | undefined, cause?: unknown, isLasting = false) {
    super({ status: 0, code: 'connection_failed', message, outcome, cause });
    this.isLasting = isLasting;
  }
}

/** The time limit of a wait is over. The work on the machine goes on; `last` is its last known state. */
export class WaitTimeoutError<State = unknown> extends Error {
  override name = 'WaitTimeoutError';
  readonly last: State;

  constructor(message: string, last: State) {
    super(message);
    this.last = last;
  }
}
