import { AGENT_METHODS, parseStopReason, parseUsage, toObject, type JsonObject } from './acp';
import { AgentError } from './agent-error';
import type { AgentProcess } from './agent-process';
import type { AgentInfo, AgentMode, AgentSession, AgentTurnListener, AgentTurnResult } from './agent-session';
import { AgentTurn } from './agent-turn';
import { CANCELLED_RESPONSE } from './permission-request';
import { createModeRequest, type SessionModes } from './session-modes';
import { toAgentError } from './to-agent-error';
import type { TurnLimits } from './turn-watchdog';

export interface AgentLimits extends TurnLimits {
  /** How long a cancelled turn may take to end before the agent is killed. */
  cancelGraceMs: number;
  /** How long the agent may take to start, and to open a session. */
  startTimeoutMs: number;
}

/** A session of a running agent process, with one prompt at a time. */
export class RunningSession implements AgentSession {
  private turn: AgentTurn | undefined;
  private turnEnded: Promise<unknown> = Promise.resolve();

  constructor(
    readonly id: string,
    readonly agent: AgentInfo,
    private readonly process: AgentProcess,
    private readonly limits: AgentLimits,
    private readonly sessionModes: SessionModes,
  ) {}

  get modes(): readonly AgentMode[] {
    return this.sessionModes.available;
  }

  get currentMode(): string | null {
    return this.sessionModes.current;
  }

  /** Sets the mode also if the agent says that it is set: Codex otherwise asks a model instead of the client. */
  async setMode(mode: string): Promise<void> {
    const { method, params } = createModeRequest(this.id, this.sessionModes, mode);
    await this.process.peer.sendRequest(method, params);
    this.sessionModes.current = mode;
  }

  async prompt(text: string, listener: AgentTurnListener): Promise<AgentTurnResult> {
    if (this.turn) throw new Error('A prompt of this session is running.');
    const turn = new AgentTurn(listener, this.limits, () => this.stopTurn());
    this.turn = turn;
    const result = this.runTurn(turn, text);
    this.turnEnded = result.catch(() => undefined);
    return result;
  }

  async cancel(): Promise<void> {
    this.turn?.interrupt('cancelled');
    await this.turnEnded;
  }

  /** Updates outside a turn, such as those of a session that is loaded, concern the past and are ignored. */
  handleUpdate(update: JsonObject): void {
    if (update.sessionUpdate === 'current_mode_update' && typeof update.currentModeId === 'string')
      this.sessionModes.current = update.currentModeId;
    this.turn?.recordActivity();
    this.turn?.handleUpdate(update);
  }

  /** Names a message in the turn that was too long to be read. */
  handleSkippedLine(bytes: number): void {
    this.turn?.recordActivity();
    this.turn?.handleSkippedLine(bytes);
  }

  requestPermission(params: JsonObject): Promise<unknown> {
    return this.turn?.requestPermission(params) ?? Promise.resolve(CANCELLED_RESPONSE);
  }

  private async runTurn(turn: AgentTurn, text: string): Promise<AgentTurnResult> {
    const params = { sessionId: this.id, prompt: [{ type: 'text', text }] };
    const response = await this.process.peer.sendRequest(AGENT_METHODS.prompt, params).then(
      (result) => toObject(result),
      (error: Error) => error,
    );
    turn.finish();
    this.turn = undefined;
    if (turn.interruptedBy instanceof AgentError) throw this.toAgentError(turn.interruptedBy);
    if (response instanceof Error) {
      if (turn.interruptedBy === 'cancelled') return { stopReason: 'cancelled', usage: null };
      throw this.toAgentError(response);
    }
    // Some agents complete a turn that was cancelled. The caller who cancelled it learns that it is.
    const stopReason = turn.interruptedBy === 'cancelled' ? 'cancelled' : parseStopReason(response.stopReason);
    if (!stopReason)
      throw this.toAgentError(new AgentError('agent_error', 'The agent ended the turn for an unknown reason.'));
    return { stopReason, usage: parseUsage(response.usage) };
  }

  private toAgentError(error: Error): AgentError {
    return toAgentError(error, this.process.readLastErrorLines());
  }

  /** Kills the agent if it doesn't end the turn in time: it may go on using tools otherwise. */
  private stopTurn(): void {
    const { turn, process } = this;
    process.peer.sendNotification(AGENT_METHODS.cancel, { sessionId: this.id });
    setTimeout(() => {
      if (this.turn === turn) process.killGroup(new AgentError('agent_lost', 'The agent did not stop in time.'));
    }, this.limits.cancelGraceMs).unref();
  }
}
