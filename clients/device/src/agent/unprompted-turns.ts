import { getBlockText, toObject, type JsonObject } from './acp';
import { AgentError } from './agent-error';
import type { AgentLimits } from './agent-limits';
import type { AgentProcess } from './agent-process';
import type { UnpromptedWorkReceiver } from './agent-session';
import { AgentTurn } from './agent-turn';
import type { ToolCall } from './tool-call';
import type { TurnLimits } from './turn-watchdog';

/** Turns that an agent may begin between two prompts, which bounds what it can store without anybody's message. */
export const MAX_UNPROMPTED_TURNS = 50;

/** Open tool calls of earlier turns, and ids of finished ones, that are remembered. */
const MAX_OPEN_CALLS = 256;
const MAX_FINISHED_IDS = 10_000;

type UnpromptedLimits = Pick<AgentLimits, 'turnTimeoutMs' | 'unpromptedSilenceMs'>;

/** Updates with which an agent works. Those that only describe the session begin no turn. */
const WORK_UPDATES = new Set<unknown>(['tool_call', 'tool_call_update', 'agent_thought_chunk']);

/**
 * Turns that the agent of a session begins by itself, one at a time: it reports a build in the background, or a timer
 * wakes it. One may go on beside a prompt, with the tool calls and the permission requests that it has begun. Text
 * belongs to the prompt then, since nothing tells otherwise.
 */
export class UnpromptedTurns {
  receiver: UnpromptedWorkReceiver | undefined;
  private current: { turn: AgentTurn; settle: (error?: AgentError) => void } | undefined;
  /** Turns since the last prompt; undefined before the first one, when everything is about the start of the session. */
  private count: number | undefined;
  /** Calls of ended turns that go on, by id. */
  private readonly openCalls = new Map<string, ToolCall>();
  private readonly finishedCallIds = new Set<string>();
  private readonly limits: TurnLimits;

  /** @param onChanged called after the end of each turn, and when a request of one is opened or closed */
  constructor(
    private readonly process: AgentProcess,
    { turnTimeoutMs, unpromptedSilenceMs: silenceTimeoutMs }: UnpromptedLimits,
    private readonly onChanged: () => void = () => undefined,
  ) {
    this.limits = { turnTimeoutMs, silenceTimeoutMs, areToolsSilent: true };
    void process.closed.then(({ error }) => this.endAfterExit(error));
  }

  get isWorking(): boolean {
    return this.current !== undefined;
  }

  /** The turn that goes on. */
  get turn(): AgentTurn | undefined {
    return this.current?.turn;
  }

  /** Ends a turn that waits for nothing: what the agent says from now on belongs to the prompt. */
  beginPrompt(): void {
    this.count = 0;
    this.current?.turn.completeMessage();
    if (this.current && !this.current.turn.isBusy) this.endTurn();
  }

  /** Finishes the turn of a prompt, and remembers its tool calls. */
  endPrompt(turn: AgentTurn, isCancelled: boolean): void {
    this.count = 0;
    this.finishTurn(turn, isCancelled);
  }

  /** Returns the turn that an update belongs to, and begins one if needed. Undefined: the update is ignored. */
  findTurn(update: JsonObject, promptTurn: AgentTurn | undefined): AgentTurn | undefined {
    const { sessionUpdate, toolCallId } = update;
    if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') {
      const turn = this.findTurnOfCall(toolCallId);
      if (turn) return turn;
      // Agents may use the id of a finished call again, for a new one.
      if (sessionUpdate === 'tool_call') this.finishedCallIds.delete(toolCallId as string);
      else if (this.finishedCallIds.has(toolCallId as string)) return undefined;
    }
    return promptTurn ?? this.current?.turn ?? (isWork(update) ? this.beginTurn() : undefined);
  }

  /** Returns the turn that a permission request belongs to. Undefined: nobody can be asked. */
  findAskingTurn({ toolCall }: JsonObject, promptTurn: AgentTurn | undefined): AgentTurn | undefined {
    const turn = this.findTurnOfCall(toObject(toolCall).toolCallId);
    return turn ?? promptTurn ?? this.current?.turn ?? this.beginTurn();
  }

  /** Returns the turn of a call that began before the prompt. */
  private findTurnOfCall(toolCallId: unknown): AgentTurn | undefined {
    if (this.current?.turn.hasToolCall(toolCallId)) return this.current.turn;
    const call = this.openCalls.get(toolCallId as string);
    const turn = call && (this.current?.turn ?? this.beginTurn());
    if (!turn) return undefined;
    this.openCalls.delete(call.id);
    turn.adoptToolCall(call);
    return turn;
  }

  private beginTurn(): AgentTurn | undefined {
    if (this.count === undefined || this.count >= MAX_UNPROMPTED_TURNS || !this.process.isRunning) return undefined;
    let settle: (error?: AgentError) => void = () => undefined;
    const ended = new Promise<void>((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve());
    });
    // Also without a receiver that waits, a failure is no unhandled rejection.
    const hasEnded = ended.catch(() => undefined);
    const cancel = async (): Promise<void> => {
      turn.interrupt('cancelled');
      await hasEnded;
    };
    const listener = this.receiver?.({ isLast: this.count === MAX_UNPROMPTED_TURNS - 1, ended, cancel });
    if (!listener) return undefined;
    const turn = new AgentTurn(
      listener,
      this.limits,
      () => this.handleInterruption(turn),
      () => this.onChanged(),
    );
    this.current = { turn, settle };
    this.count++;
    return turn;
  }

  /** Nothing tells an agent to end what it does by itself, so it is stopped unless it only became silent. */
  private handleInterruption(turn: AgentTurn): void {
    if (this.current?.turn !== turn) return;
    if (isSilence(turn.interruptedBy)) this.endTurn();
    else void this.process.stop();
  }

  private endAfterExit(error: AgentError): void {
    const interruptedBy = this.current?.turn.interruptedBy;
    this.endTurn(interruptedBy === 'cancelled' ? undefined : (interruptedBy ?? error));
  }

  private endTurn(error?: AgentError): void {
    const { current } = this;
    if (!current) return;
    this.current = undefined;
    const { interruptedBy } = current.turn;
    this.finishTurn(current.turn, interruptedBy !== undefined && !isSilence(interruptedBy));
    current.settle(error);
    if ((this.count ?? 0) >= MAX_UNPROMPTED_TURNS) void this.process.stop();
    this.onChanged();
  }

  private finishTurn(turn: AgentTurn, isCancelled: boolean): void {
    for (const call of turn.finish(isCancelled)) this.openCalls.set(call.id, call);
    for (const id of turn.finishedCallIds) this.finishedCallIds.add(id);
    for (const [id] of this.openCalls) if (this.openCalls.size > MAX_OPEN_CALLS) this.openCalls.delete(id);
    for (const id of this.finishedCallIds)
      if (this.finishedCallIds.size > MAX_FINISHED_IDS) this.finishedCallIds.delete(id);
  }
}

const isSilence = (reason: AgentTurn['interruptedBy']): boolean =>
  reason instanceof AgentError && reason.code === 'agent_silent';

/** Some agents report token counts with an empty text. */
const isWork = ({ sessionUpdate, content }: JsonObject): boolean =>
  WORK_UPDATES.has(sessionUpdate) || (sessionUpdate === 'agent_message_chunk' && getBlockText(content) !== '');
