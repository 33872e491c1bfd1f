/**
 * A turn is one message and everything that the agent does until it stops, or what an agent does by itself between two
 * messages (docs/protocol/agents.md#turns).
 */

/** States in the order in which a turn passes through them. Only the service writes `lost`. */
export const TURN_STATES = [
  'queued',
  'running',
  'requires_action',
  'completed',
  'failed',
  'cancelled',
  'lost',
] as const;
export type TurnState = (typeof TURN_STATES)[number];

/** States that a device reports. */
export const REPORTED_TURN_STATES = TURN_STATES.filter((state) => state !== 'lost');
export type ReportedTurnState = Exclude<TurnState, 'lost'>;

/** What began a turn: a message, or the agent by itself. */
export const TURN_ORIGINS = ['message', 'agent'] as const;
export type TurnOrigin = (typeof TURN_ORIGINS)[number];

/** Why the agent stopped, as in the Agent Client Protocol. */
export const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Why a turn failed. */
export const TURN_ERROR_CODES = [
  'agent_auth_required',
  'agent_session_unavailable',
  'agent_lost',
  'agent_silent',
  'agent_error',
  'turn_timeout',
] as const;
export type TurnErrorCode = (typeof TURN_ERROR_CODES)[number];

/** Tokens of one turn, as its agent counts them. */
export interface TurnUsage {
  inputTokens: number;
  outputTokens: number;
  /** May contain tokens that the agent counts apart from input and output, such as those of a cache. */
  totalTokens: number;
  /** Input that the model read from a cache; null if the agent doesn't say. */
  cachedInputTokens?: number | null;
}

/** Cost of one turn, as its agent estimates it. */
export interface TurnCost {
  /** 0 to {@link MAX_COST_AMOUNT} */
  amount: number;
  /** Three capital letters, as of ISO 4217. */
  currency: string;
}

export const MAX_COST_AMOUNT = 1_000_000_000;
export const CURRENCY_PATTERN = /^[A-Z]{3}$/;

/** How full the model's context is, in tokens. */
export interface SessionContext {
  used: number;
  size: number;
}

/** Body of `PUT /v1/sessions/{id}/turns/{localId}`: the whole state each time. Times are Unix ms in server time. */
export interface TurnReport {
  /** Counter of the device from 1. The service ignores a report that isn't newer than the stored one. */
  revision: number;
  state: ReportedTurnState;
  stopReason: StopReason | null;
  errorCode: TurnErrorCode | null;
  pendingPermissions: number;
  usage: TurnUsage | null;
  /** With the capability `turn.details`, like `context`, `lastActivityAt` and `usage.cachedInputTokens`. */
  cost?: TurnCost | null;
  /** How much of its context the session uses after this turn. */
  context?: SessionContext | null;
  startedAt: number | null;
  /** When the agent last did something. A report whose revision is stored may still bring a newer time. */
  lastActivityAt?: number | null;
  endedAt: number | null;
  /** Absent for `message`. `agent` only in turns that began while the service accepted `session.unprompted`. */
  origin?: TurnOrigin;
}

/** What the answer to a message says about its turn. */
export interface TurnSummary {
  id: string;
  state: TurnState;
  stopReason: StopReason | null;
}

/** Returns the id of the turn that a relayed call begins: device, service and caller compute it alike. */
export function computeTurnId(requestId: string): string {
  return requestId.replace(/^req_/, 'turn_');
}

/** Returns the id of the relayed call that began a turn, or the one that a device gave a turn that its agent began. */
export function computeRequestId(turnId: string): string {
  return turnId.replace(/^turn_/, 'req_');
}

/** Whether a device can't change a turn in this state any more. A lost turn can return. */
export function isFinalTurnState(state: TurnState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/** Result of `session.cancel`. */
export interface CancelTurnResult {
  state: TurnState;
  /** From the device to the service: the end of the turn, if the service has not stored it. Callers don't get it. */
  report?: TurnReport;
}
