import {
  buildMessageBinding,
  type ContentBinding,
  type DataKey,
  sealContent,
  type TurnOrigin,
} from '@external-api/protocol';
import type { ReplayedMessage, ToolCallRecord } from '../agent/agent-session';
import type { ApiResponseError } from '../client-errors';
import { truncateMiddle } from '../exec/truncation';
import { TOOL_CALL_MEDIA_TYPE } from '../live/progress-content';
import type { HistoryWriter } from './history-writer';
import type { HistoryEntry } from './history-outbox';

/** Maximum length of a message's JWE (docs/protocol/device-api.md#sync). */
export const MAX_CONTENT_LENGTH = 358_400;

const REJECTION_SUFFIX = ':rejected';
const TEXT_MEDIA_TYPE = 'text/plain; charset=utf-8';

/** A session that this device hosts, with its data key. */
export interface HostedSession {
  accountId: string;
  id: string;
  tag: string;
  dataKey: DataKey;
}

/** A message of a turn. Texts that may be longer than a message must be plain text. */
export interface TurnMessage {
  role: HistoryEntry['role'];
  text: string;
  /** Default: plain text. */
  mediaType?: string;
}

/** The encrypted history of one session (docs/protocol/device-api.md#reference-device). */
export class SessionHistory {
  constructor(
    readonly session: HostedSession,
    private readonly writer: HistoryWriter,
  ) {
    writer.listenForRejections(session.id, (entry, error) => this.appendRejectionNotice(entry, error));
  }

  get sessionId(): string {
    return this.session.id;
  }

  /** True when too many messages are pending to accept another one. */
  get isFull(): boolean {
    return this.writer.isFull;
  }

  get isStalled(): boolean {
    return this.writer.isStalled;
  }

  /** Appends one message of a relayed exchange, see {@link HistoryWriter.appendEntry}. */
  appendText(requestId: string, role: HistoryEntry['role'], text: string) {
    return this.appendSealed({ localId: `${requestId}:${role}`, role }, TEXT_MEDIA_TYPE, text);
  }

  /**
   * Appends one message of a turn, see {@link HistoryWriter.appendEntry}.
   * @param turn its `localId`, and its origin unless a message began it
   * @param position the message's place among those of the device in the turn, which makes its `localId` unique
   */
  appendTurnMessage(turn: { requestId: string; origin?: TurnOrigin }, position: 'user' | number, message: TurnMessage) {
    const { requestId: turnLocalId, origin: turnOrigin } = turn;
    const { role, text, mediaType = TEXT_MEDIA_TYPE } = message;
    const localId = buildTurnMessageId(turnLocalId, position);
    return this.appendSealed({ localId, role, turnLocalId, turnOrigin }, mediaType, text);
  }

  /**
   * Appends a message of a user that joins a turn, see {@link HistoryWriter.appendEntry}.
   * @param requestId of its own call
   */
  appendSteeringMessage(turn: { requestId: string; origin?: TurnOrigin }, requestId: string, text: string) {
    const { requestId: turnLocalId, origin: turnOrigin } = turn;
    const localId = buildTurnMessageId(requestId, 'user');
    return this.appendSealed({ localId, role: 'user', turnLocalId, turnOrigin }, TEXT_MEDIA_TYPE, text);
  }

  /**
   * Appends what was said before the session began. These messages belong to no turn, and nobody is told of them. A
   * repetition, after a failure in between, appends those that are missing.
   */
  async appendReplay(messages: readonly ReplayedMessage[]): Promise<void> {
    for (const [index, replayed] of messages.entries()) {
      const { role, text, mediaType = TEXT_MEDIA_TYPE } = toTurnMessage(replayed);
      await this.appendSealed({ localId: `imported:${index}`, role, imported: true }, mediaType, text);
    }
  }

  /** Lets all pending messages survive a power failure, see {@link HistoryWriter.syncPendingEntries}. */
  syncPendingEntries(): Promise<void> {
    return this.writer.syncPendingEntries();
  }

  waitUntilTurnIsStored(turnLocalId: string): Promise<void> {
    return this.writer.waitUntilTurnIsStored(turnLocalId);
  }

  /** Names a message in the history that is missing there, unless it is such a notice itself or the session is gone. */
  private async appendRejectionNotice({ localId }: HistoryEntry, { code, detail }: ApiResponseError): Promise<void> {
    if (code === 'not_found' || localId.endsWith(REJECTION_SUFFIX)) return;
    const text = `A message of this machine is missing here: the service rejected it. ${detail}`;
    await this.appendSealed({ localId: localId + REJECTION_SUFFIX, role: 'system' }, TEXT_MEDIA_TYPE, text);
  }

  private appendSealed(place: Omit<HistoryEntry, 'sessionId' | 'content'>, mediaType: string, text: string) {
    const { accountId, id: sessionId, tag, dataKey } = this.session;
    const binding = buildMessageBinding(accountId, tag, place.localId, place.role);
    const content = sealHistoryText(text, mediaType, dataKey, binding);
    return this.writer.appendEntry({ sessionId, ...place, content });
  }
}

/** Returns the `localId` of a message of a turn, see {@link SessionHistory.appendTurnMessage}. */
export function buildTurnMessageId(turnLocalId: string, position: 'user' | number): string {
  return `${turnLocalId}:${position}`;
}

/** Returns the message that a tool call is in the history. */
export function createToolMessage(call: ToolCallRecord): TurnMessage {
  const { id, title, kind, status, output, exitCode, locations, diff } = call;
  const text = JSON.stringify({ id, title, kind, status, output, exitCode, locations, diff });
  return { role: 'tool', text, mediaType: TOOL_CALL_MEDIA_TYPE };
}

const toTurnMessage = (message: ReplayedMessage): TurnMessage =>
  message.role === 'tool' ? createToolMessage(message.call) : message;

/** Encrypts a text for a message. Text that is too long is truncated in the middle and gets a marker there. */
async function sealHistoryText(
  text: string,
  mediaType: string,
  dataKey: DataKey,
  place: ContentBinding,
): Promise<string> {
  const sealBytes = (bytes: Buffer) => sealContent({ mediaType, bytes }, dataKey, place);
  const fullText = Buffer.from(text);
  const sealed = await sealBytes(fullText);
  if (sealed.length <= MAX_CONTENT_LENGTH) return sealed;
  const overheadLength = sealed.length - getBase64urlLength(fullText.length);
  const maxTextBytes = Math.floor(((MAX_CONTENT_LENGTH - overheadLength) * 3) / 4);
  return sealBytes(Buffer.from(truncateMiddle(fullText, fullText.length, maxTextBytes)));
}

const getBase64urlLength = (bytes: number): number => Math.ceil((bytes * 4) / 3);
