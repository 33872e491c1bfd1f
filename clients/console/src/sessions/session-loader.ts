import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { isFinalError } from '../content/coalesced-refresh';
import { decodeText, SessionOpener } from '../content/content-opener';
import type { StreamEvent } from '../content/event-stream-reader';
import type { DeltaRecord, SessionRecord, TurnRecord } from '../content/records';
import {
  EMPTY_WINDOW,
  getLastLoadedSeq,
  isAtEnd,
  MAX_LOADED,
  MessageReader,
  type MessageWindow,
} from './message-window';
import { getSessionTitle } from './session-title';
import { TurnReader } from './turn-reader';

/** The session itself is read at once, and changes together, within the rate limit of a device. */
const REFRESH_DELAY_MS = 50;
const REFRESH_INTERVAL_MS = 600;
const RETRY_DELAY_MS = 5_000;

interface SessionListeners {
  onSession(session: SessionRecord, title: string, opener: SessionOpener | null): void;
  onWindow(window: MessageWindow): void;
  /** @param known those of the messages, the newest ones included, by their ids */
  onTurns(newest: readonly TurnRecord[], known: ReadonlyMap<string, TurnRecord>): void;
  onDelta(delta: DeltaRecord, text: string): void;
  onLoading(isLoading: boolean): void;
  /** @param error null when a later read has succeeded */
  onProblem(error: unknown): void;
}

/** Reads what a session's page shows, one change after the other, so that none overwrites a later one. */
export class SessionLoader {
  private window = EMPTY_WINDOW;
  private opener: SessionOpener | null = null;
  private reader: MessageReader | null = null;
  private lastChange: Promise<void> = Promise.resolve();
  private refreshTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether a read of the session waits for the changes before it. */
  private isReadQueued = false;
  private isStopped = false;
  private lastRefreshAt = -Infinity;
  private areTurnsDue = true;
  private lastDelta: Promise<void> = Promise.resolve();
  private readonly turns: TurnReader;

  constructor(
    private readonly api: AccountApi,
    private readonly keys: AccountKeys | null,
    private readonly sessionId: string,
    private readonly listeners: SessionListeners,
  ) {
    this.turns = new TurnReader(api, sessionId);
  }

  /** Reads the session, its open turns and its new messages soon. A read that waits already will read them, too. */
  refresh(): void {
    if (this.isStopped || this.isReadQueued) return;
    const isFirst = this.lastRefreshAt === -Infinity;
    const remainingMs = this.lastRefreshAt + REFRESH_INTERVAL_MS - performance.now();
    const delayMs = isFirst ? 0 : Math.max(REFRESH_DELAY_MS, remainingMs);
    this.refreshTimer ??= setTimeout(() => {
      this.refreshTimer = undefined;
      this.isReadQueued = true;
      this.enqueue(() => {
        this.isReadQueued = false;
        this.lastRefreshAt = performance.now();
        return this.readSessionOrRetry();
      });
    }, delayMs);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.refreshTimer);
  }

  /** Reads everything again, because events may have been missed. */
  refreshAll(): void {
    this.areTurnsDue = true;
    this.refresh();
  }

  handleEvent({ type, data }: StreamEvent): void {
    if (type === 'delta') {
      // One after the other, because a later part that comes first makes readers drop the earlier one.
      this.lastDelta = this.lastDelta.then(() => this.openDelta(data as DeltaRecord));
      return;
    }
    if (/^(turn|permission)\./.test(type)) this.areTurnsDue = true;
    this.refresh();
  }

  moveWindow(move: (reader: MessageReader, window: MessageWindow) => Promise<MessageWindow>): void {
    this.enqueue(async () => {
      if (!this.reader) return;
      this.setWindow(await move(this.reader, this.window));
      if (await this.turns.readTurnsOf(this.window)) this.showTurns();
    });
  }

  private enqueue(change: () => Promise<void>): void {
    this.lastChange = this.lastChange.then(async () => {
      this.listeners.onLoading(true);
      try {
        await change();
        this.listeners.onProblem(null);
      } catch (error) {
        this.listeners.onProblem(error);
      }
      this.listeners.onLoading(false);
    });
  }

  /** Repeats a failed read: the event that caused it may have been the last one. */
  private async readSessionOrRetry(): Promise<void> {
    // Control calls consume from a bucket of the account, which other callers need, so turns are read when they change.
    const areTurnsDue = this.areTurnsDue;
    this.areTurnsDue = false;
    try {
      await this.readSession(areTurnsDue);
    } catch (error) {
      this.areTurnsDue ||= areTurnsDue;
      if (!isFinalError(error)) setTimeout(() => this.refresh(), RETRY_DELAY_MS);
      throw error;
    }
  }

  private async readSession(areTurnsDue: boolean): Promise<void> {
    const [session] = await Promise.all([
      this.api.getRecord<SessionRecord>(`/v1/sessions/${this.sessionId}`),
      areTurnsDue && this.turns.readNewest(),
    ]);
    if (this.keys && !this.opener) this.opener = await SessionOpener.forSession(this.keys, session).catch(() => null);
    this.reader ??= new MessageReader(this.api, this.sessionId, this.opener);
    const metadata = this.opener && (await this.opener.openMetadata(session).catch(() => null));
    this.listeners.onSession(session, getSessionTitle(session, metadata), this.opener);
    await this.readNewMessages(this.reader, session.lastSeq);
    if (areTurnsDue) this.showTurns();
    if (await this.turns.readTurnsOf(this.window)) this.showTurns();
  }

  private showTurns(): void {
    this.listeners.onTurns(this.turns.newest, this.turns.known);
  }

  /** A reader of earlier messages keeps them: then only the number of the last message changes. */
  private async readNewMessages(reader: MessageReader, lastSeq: number): Promise<void> {
    // Also if an earlier attempt has failed: from the empty window on, all messages of the session would be read.
    if (this.window === EMPTY_WINDOW) return this.setWindow(await reader.readLatest(lastSeq));
    if (!isAtEnd(this.window)) return this.setWindow({ ...this.window, lastSeq });
    // As after a night in a hidden tab. Of so many, the page would hold the last ones only.
    if (lastSeq - getLastLoadedSeq(this.window) > MAX_LOADED) return this.setWindow(await reader.readLatest(lastSeq));
    while (!isAtEnd({ ...this.window, lastSeq })) this.setWindow(await reader.readLater(this.window, lastSeq));
  }

  private setWindow(window: MessageWindow): void {
    this.window = window;
    this.listeners.onWindow(window);
  }

  /** A part that can't be decrypted is dropped: the stored message will follow. */
  private async openDelta(delta: DeltaRecord): Promise<void> {
    if (this.window.messages.some(({ localId }) => localId === delta.localId)) return;
    const content = await this.opener?.openDelta(delta).catch(() => undefined);
    if (content) this.listeners.onDelta(delta, decodeText(content.bytes));
  }
}
