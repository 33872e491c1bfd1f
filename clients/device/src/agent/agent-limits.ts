import type { TurnLimits } from './turn-watchdog';

export interface AgentLimits extends TurnLimits {
  /** How long a cancelled turn may take to end before the agent is killed. */
  cancelGraceMs: number;
  /** How long the agent may take to start, and to open a session. */
  startTimeoutMs: number;
  /** Silence of the agent that ends a turn which it has begun by itself. */
  unpromptedSilenceMs: number;
  /** Interval of the clock in which agents that lose fresh sessions must not load one that they have created. */
  freshSessionMs: number;
}

const MINUTE_MS = 60_000;

export const DEFAULT_AGENT_LIMITS: AgentLimits = {
  turnTimeoutMs: 120 * MINUTE_MS,
  silenceTimeoutMs: 10 * MINUTE_MS,
  cancelGraceMs: 10_000,
  // The first start of an agent may install it.
  startTimeoutMs: 2 * MINUTE_MS,
  unpromptedSilenceMs: 10_000,
  freshSessionMs: MINUTE_MS,
};
