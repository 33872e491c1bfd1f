import type { AccountApi } from '../content/account-api';
import type { SessionOpener } from '../content/content-opener';
import type { MessageRecord, PermissionRecord, TurnRecord } from '../content/records';
import { openMessageRecord, type OpenedMessage } from './opened-message';

const PAGE_SIZE = 100;
/** Messages that the page holds at once. Of a longer session, it shows a part. */
export const MAX_LOADED = 1_000;

/** Contiguous part of a session's messages, in the order of their `seq`, which has no gaps. */
export interface MessageWindow {
  messages: readonly OpenedMessage[];
  /** `seq` of the session's last message. */
  lastSeq: number;
}

export const EMPTY_WINDOW: MessageWindow = { messages: [], lastSeq: 0 };

export const getFirstSeq = ({ messages }: MessageWindow): number => messages[0]?.seq ?? 1;
export const getLastLoadedSeq = ({ messages }: MessageWindow): number => messages.at(-1)?.seq ?? 0;

/** Whether the window ends with the session's last message, so that new ones are shown. */
export const isAtEnd = (window: MessageWindow): boolean => getLastLoadedSeq(window) >= window.lastSeq;

/** What is shown of turns between messages, by the `seq` of a message. */
interface TurnMarks {
  /** Turns that an agent has begun by itself, at their first message. */
  begun: ReadonlyMap<number, TurnRecord>;
  /** Turns that have ended, at their last message. */
  ended: ReadonlyMap<number, TurnRecord>;
}

/** Messages of other turns may lie between those of a turn, and its last ones after the end of the window. */
export function placeTurnMarks({ messages }: MessageWindow, turns: ReadonlyMap<string, TurnRecord>): TurnMarks {
  const begun = new Map<number, TurnRecord>();
  const ended = new Map<number, TurnRecord>();
  const lastSeqs = new Map<TurnRecord, number>();
  for (const { turnId, seq } of messages) {
    const turn = turnId === null ? undefined : turns.get(turnId);
    if (!turn) continue;
    if (turn.origin === 'agent' && !lastSeqs.has(turn)) begun.set(seq, turn);
    lastSeqs.set(turn, seq);
  }
  for (const [turn, seq] of lastSeqs) if (turn.endedAt !== null && seq >= (turn.lastSeq ?? 0)) ended.set(seq, turn);
  return { begun, ended };
}

/**
 * Returns requests that were decided, by the `seq` of the message behind which they are shown. One that may belong
 * behind a message after the window is left out.
 */
export function placeDecisions<T extends { record: Pick<PermissionRecord, 'createdAt' | 'decidedAt'> }>(
  window: MessageWindow,
  decided: readonly T[],
): ReadonlyMap<number, T[]> {
  const { messages } = window;
  const placed = new Map<number, T[]>();
  for (const each of decided) {
    const at = each.record.decidedAt ?? each.record.createdAt;
    const before = messages.findLast(({ createdAt }) => createdAt <= at);
    if (before && (before !== messages.at(-1) || isAtEnd(window)))
      placed.set(before.seq, [...(placed.get(before.seq) ?? []), each]);
  }
  return placed;
}

/** Reads and decrypts messages of one session. All methods throw ServiceError or UnreachableError. */
export class MessageReader {
  constructor(
    private readonly api: AccountApi,
    private readonly sessionId: string,
    private readonly opener: SessionOpener | null,
  ) {}

  /** Returns the window that ends with the last message. */
  async readLatest(lastSeq: number): Promise<MessageWindow> {
    const messages = await this.readRange(Math.max(0, lastSeq - PAGE_SIZE), lastSeq + 1);
    return { messages, lastSeq };
  }

  /** Returns the window that begins with the first message. */
  async readFirst(lastSeq: number): Promise<MessageWindow> {
    return { messages: await this.readRange(0, PAGE_SIZE + 1), lastSeq };
  }

  async readEarlier(window: MessageWindow): Promise<MessageWindow> {
    const first = getFirstSeq(window);
    if (first <= 1) return window;
    const earlier = await this.readRange(Math.max(0, first - 1 - PAGE_SIZE), first);
    return { ...window, messages: [...earlier, ...window.messages].slice(0, MAX_LOADED) };
  }

  /** Reads what follows the window, one page, or all if it ends with messages that are new. */
  async readLater(window: MessageWindow, lastSeq: number): Promise<MessageWindow> {
    const from = getLastLoadedSeq(window);
    if (from >= lastSeq) return { ...window, lastSeq: Math.max(window.lastSeq, lastSeq) };
    const later = await this.readRange(from, Math.min(lastSeq, from + PAGE_SIZE) + 1);
    return { lastSeq, messages: [...window.messages, ...later].slice(-MAX_LOADED) };
  }

  /** Reads the messages between two values of `seq`. A page ends early if its messages are large. */
  private async readRange(afterSeq: number, beforeSeq: number): Promise<OpenedMessage[]> {
    const path = `/v1/sessions/${this.sessionId}/messages`;
    const records = await this.api.getAll<MessageRecord>(path, { afterSeq, beforeSeq, limit: PAGE_SIZE });
    return Promise.all(records.map((record) => openMessageRecord(record, this.opener)));
  }
}
