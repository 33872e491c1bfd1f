import { AgentError } from '../agent/agent-error';
import type { PlanEntry, RunningToolCall, ToolCallRecord } from '../agent/agent-session';
import {
  buildTurnMessageId,
  createToolMessage,
  type SessionHistory,
  type TurnMessage,
} from '../history/session-history';
import type { DraftPlace } from '../live/delta-sender';
import type { SessionDeltas } from '../live/session-deltas';
import type { SessionProgress } from '../live/session-progress';
import type { Turn } from './turn';

/**
 * Characters that may wait until they are encrypted and in the outbox, which bounds the memory that an agent can fill.
 * A short message counts as a longer one, because of its overhead.
 */
const MAX_UNSTORED_LENGTH = 4 * 1024 * 1024;
const MIN_MESSAGE_LENGTH = 4 * 1024;

/** Appends what the agent says and does in one turn to the session's history, in order. */
export class TurnHistory {
  private messageCount = 0;
  /** Place of the message that the agent writes, as soon as some of its text was shown. */
  private shownPosition: number | undefined;
  /** Places of tool calls that go on. */
  private readonly callPositions = new Map<RunningToolCall, number>();
  private thoughtCount = 0;
  private unstoredLength = 0;
  private lastAppend: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly turn: Turn,
    private readonly history: SessionHistory,
    private readonly deltas: SessionDeltas,
    private readonly progress: SessionProgress,
  ) {}

  /** Shows text of the message that {@link appendAgentMessage} gets when it is complete. */
  showAgentText(text: string): void {
    this.shownPosition ??= ++this.messageCount;
    this.deltas.addText(this.createPlace(this.shownPosition), text);
  }

  appendAgentMessage(text: string): void {
    const position = this.shownPosition ?? ++this.messageCount;
    this.shownPosition = undefined;
    this.turn.addReplyText(text);
    this.appendMessage({ role: 'assistant', text }, position);
    this.deltas.completeMessage(this.buildLocalId(position));
  }

  showThought(text: string): void {
    this.progress.addThought(this.createPlace(`thought${this.thoughtCount}`), text);
  }

  completeThought(): void {
    this.thoughtCount++;
  }

  showPlan(entries: readonly PlanEntry[], omitted: number): void {
    this.progress.changePlan(this.createPlace('plan'), entries, omitted);
  }

  /** Shows a call under the id that its message will have. */
  showToolCall(call: RunningToolCall): void {
    const position = this.callPositions.get(call) ?? ++this.messageCount;
    this.callPositions.set(call, position);
    this.progress.changeToolCall(this.createPlace(position), () => call.toRecord());
  }

  /** @param running the call, if it was shown */
  appendToolCall(record: ToolCallRecord, running?: RunningToolCall): void {
    const position = (running && this.callPositions.get(running)) ?? ++this.messageCount;
    if (running) this.callPositions.delete(running);
    this.progress.finishToolCall(this.createPlace(position), record);
    this.appendMessage(createToolMessage(record), position);
  }

  /** Shows nothing more of what went on when the turn ended. */
  endProgress(): void {
    this.progress.endTurn(this.turn.id);
  }

  /**
   * Appends a message of a user after what the agent has said so far. Resolves when it is in the outbox.
   * @returns the id of the stored message when the service has it
   */
  async appendSteeringMessage(requestId: string, text: string): Promise<{ stored: Promise<string | null> }> {
    const appended = this.lastAppend.then(() => this.history.appendSteeringMessage(this.turn, requestId, text));
    this.lastAppend = appended;
    return appended;
  }

  /** Tells the reader something that neither the user nor the agent wrote. */
  appendNotice(text: string): void {
    this.appendMessage({ role: 'system', text });
  }

  /** Resolves when all messages are in the outbox. @throws Error when one of them can't be appended */
  async waitUntilAppended(): Promise<void> {
    await this.lastAppend;
  }

  /**
   * A message that can't be appended keeps its place, since readers may have seen its text.
   * @throws AgentError `agent_error` when the service stores the agent's messages more slowly than they come
   */
  private appendMessage(message: TurnMessage, position = ++this.messageCount): void {
    if (this.history.isFull || this.unstoredLength >= MAX_UNSTORED_LENGTH)
      throw new AgentError('agent_error', 'The history cannot be written: too many messages are pending.');
    const length = Math.max(message.text.length, MIN_MESSAGE_LENGTH);
    this.unstoredLength += length;
    this.lastAppend = this.lastAppend.then(async () => {
      const { stored } = await this.history.appendTurnMessage(this.turn, position, message);
      this.unstoredLength -= length;
      void stored.then(() => this.deltas.discardMessage(this.buildLocalId(position)));
    });
    // A failure counts at the end of the turn. Until then it must not be an unhandled rejection.
    this.lastAppend.catch(() => undefined);
  }

  private createPlace(position: number | string): DraftPlace {
    return { turnId: this.turn.id, localId: `${this.turn.requestId}:${position}` };
  }

  private buildLocalId(position: number): string {
    return buildTurnMessageId(this.turn.requestId, position);
  }
}
