import { OutputBuffer } from '../exec/output-buffer';
import { getBlockText, toText, type JsonObject } from './acp';
import { AgentMessage } from './agent-message';
import type { ReplayedMessage, ToolCallRecord } from './agent-session';
import { AgentTurn } from './agent-turn';
import type { TurnLimits } from './turn-watchdog';

/** The last messages of a conversation that become the history of a session which continues it. */
export const MAX_REPLAYED_MESSAGES = 200;
/** Characters of these messages, which bounds the memory and the outbox that an agent can fill. */
const MAX_REPLAYED_LENGTH = 8 * 1024 * 1024;

/** The past has no time limits. Its recorder is closed when the agent has been silent for a moment. */
const NO_LIMITS: TurnLimits = { turnTimeoutMs: Infinity, silenceTimeoutMs: Infinity };

/** Records what an agent repeats of a conversation when it loads it. Thoughts and plans are not recorded. */
export class ReplayRecorder {
  private readonly messages: ReplayedMessage[] = [];
  private readonly lengths: number[] = [];
  private totalLength = 0;
  private userMessage: AgentMessage | undefined;
  /** Joins what the agent did after a message of the user. */
  private turn: AgentTurn | undefined;
  private isClosed = false;

  addUpdate(update: JsonObject): void {
    if (this.isClosed) return;
    if (update.sessionUpdate === 'user_message_chunk') return this.addUserChunk(update);
    this.completeUserMessage();
    this.turn ??= this.createTurn();
    this.turn.handleUpdate(update);
  }

  /** Returns the messages, and records no more. */
  close(): ReplayedMessage[] {
    this.completeUserMessage();
    this.completeTurn();
    this.isClosed = true;
    return this.messages;
  }

  private addUserChunk({ messageId, content }: JsonObject): void {
    this.completeTurn();
    const id = toText(messageId);
    if (!this.userMessage?.contains(id)) this.completeUserMessage();
    this.userMessage ??= new AgentMessage(id, new OutputBuffer());
    this.userMessage.addPiece(getBlockText(content), id);
  }

  private completeUserMessage(): void {
    const text = this.userMessage?.complete().text ?? '';
    this.userMessage = undefined;
    if (text.trim() !== '') this.addMessage({ role: 'user', text }, text.length);
  }

  private completeTurn(): void {
    this.turn?.finish();
    this.turn = undefined;
  }

  private createTurn(): AgentTurn {
    const listener = {
      messageCompleted: (text: string) => this.addMessage({ role: 'assistant', text }, text.length),
      toolCallFinished: (call: ToolCallRecord) => this.addMessage({ role: 'tool', call }, JSON.stringify(call).length),
      permissionRequested: () => undefined,
    };
    return new AgentTurn(listener, NO_LIMITS, () => undefined);
  }

  private addMessage(message: ReplayedMessage, length: number): void {
    this.messages.push(message);
    this.lengths.push(length);
    this.totalLength += length;
    while (this.messages.length > MAX_REPLAYED_MESSAGES || this.totalLength > MAX_REPLAYED_LENGTH) {
      this.messages.shift();
      this.totalLength -= this.lengths.shift() ?? 0;
    }
  }
}
