import { AgentError } from './agent-error';

const MAX_TICK_MS = 1_000;

export interface TurnLimits {
  /** Longest turn. Time in which a permission request is open does not count. */
  turnTimeoutMs: number;
  /** Longest silence of the agent while no permission request is open and no tool call is in progress. */
  silenceTimeoutMs: number;
  /** Whether an agent is silent also while a tool call is in progress. */
  areToolsSilent?: boolean;
}

/**
 * Time limits of one turn. It counts time in ticks, and at most two ticks for the time between two of them: a laptop
 * that slept, or a process that was stopped, doesn't find its turns expired when it goes on.
 */
export class TurnWatchdog {
  private readonly tickMs: number;
  private readonly timer: NodeJS.Timeout;
  private countedAt = performance.now();
  private turnMs = 0;
  private silenceMs = 0;
  private isWaitingForDecision = false;
  private isToolRunning = false;

  constructor(
    private readonly limits: TurnLimits,
    private readonly onExpired: (error: AgentError) => void,
  ) {
    this.tickMs = Math.min(MAX_TICK_MS, Math.max(5, Math.min(limits.turnTimeoutMs, limits.silenceTimeoutMs) / 10));
    this.timer = setInterval(() => this.checkLimits(), this.tickMs);
  }

  /** Records that the agent has sent something. */
  recordActivity(): void {
    this.countTime();
    this.silenceMs = 0;
  }

  setWaitingForDecision(isWaiting: boolean): void {
    this.recordActivity();
    this.isWaitingForDecision = isWaiting;
  }

  setToolRunning(isRunning: boolean): void {
    this.recordActivity();
    this.isToolRunning = isRunning;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private checkLimits(): void {
    this.countTime();
    const { turnTimeoutMs, silenceTimeoutMs } = this.limits;
    if (this.turnMs >= turnTimeoutMs)
      this.expire(new AgentError('turn_timeout', 'The turn has reached its time limit.'));
    else if (this.silenceMs >= silenceTimeoutMs)
      this.expire(new AgentError('agent_silent', 'The agent has been silent for too long.'));
  }

  private countTime(): void {
    const now = performance.now();
    const elapsedMs = Math.min(now - this.countedAt, this.tickMs * 2);
    this.countedAt = now;
    if (this.isWaitingForDecision) return;
    this.turnMs += elapsedMs;
    if (!this.isToolRunning || this.limits.areToolsSilent) this.silenceMs += elapsedMs;
  }

  private expire(error: AgentError): void {
    this.stop();
    this.onExpired(error);
  }
}
