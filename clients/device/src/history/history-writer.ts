import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { ApiResponseError, isTransient, UnreachableError } from '../client-errors';
import type { DataEnvelope } from '../api-resources';
import type { Backoff } from '../machine/backoff';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import { waitBeforeAttempt } from '../machine/retry';
import type { SignedInDevice } from '../signed-in-device';
import { PendingEntry, type HistoryEntry, type HistoryOutbox, type NewHistoryEntry } from './history-outbox';
import { TurnAnnouncer } from './turn-announcer';

/** 20 messages of maximum size fit into a request's 8 MiB (docs/protocol/device-api.md#sync). */
const MAX_BATCH_SIZE = 20;
/** Number of pending messages from which on no more are accepted. */
const MAX_QUEUE_LENGTH = 1_000;
/** Characters of pending messages from which on no more are accepted: they are in memory and on disk. */
const MAX_PENDING_LENGTH = 64 * 1024 * 1024;
/** How long a clean stop waits for the service. */
const CLOSE_TIMEOUT_MS = 2_000;
/** How long a message may wait for the service before it is synced to the disk. */
const SYNC_DELAY_MS = 1_000;

/** @param problem why messages are pending or were dropped, for people */
export type OnHistoryProblem = (problem: string, waiting: number) => void;

/** Called for a message of a session that the service has rejected. */
export type RejectionListener = (entry: HistoryEntry, error: ApiResponseError) => Promise<void>;

/** A message that can be sent. */
interface SealedEntry {
  pending: PendingEntry;
  entry: HistoryEntry;
}

/**
 * Writes messages to the history in order, each once. Messages that the service has not accepted stay in the outbox,
 * across restarts of this program, and are retried with the same `localId`.
 */
export class HistoryWriter {
  /** Whether the last attempt failed. Callers should not wait for new messages to be stored. */
  isStalled = false;
  private readonly queue: PendingEntry[] = [];
  private pendingLength = 0;
  private readonly closeController = new AbortController();
  private sendLoop: Promise<void> | undefined;
  private lastRemoval: Promise<unknown> = Promise.resolve();
  private syncTimer: NodeJS.Timeout | undefined;
  private batchSize = MAX_BATCH_SIZE;
  /** Whether the turns of the oldest messages were announced again after a rejection of the messages. */
  private hasAnnouncedAgain = false;
  private readonly turnAnnouncer: TurnAnnouncer;
  private readonly rejectionListeners = new Map<string, RejectionListener>();

  private constructor(
    private readonly device: SignedInDevice,
    private readonly historyOutbox: HistoryOutbox,
    private readonly capabilities: CapabilityNegotiation,
    private readonly backoff: Backoff,
    private readonly onProblem: OnHistoryProblem,
  ) {
    this.turnAnnouncer = new TurnAnnouncer(device);
  }

  /** Loads the pending messages of an earlier run and sends them. */
  static async openFromOutbox(
    device: SignedInDevice,
    historyOutbox: HistoryOutbox,
    capabilities: CapabilityNegotiation,
    backoff: Backoff,
    onProblem: OnHistoryProblem = () => undefined,
  ): Promise<HistoryWriter> {
    const writer = new HistoryWriter(device, historyOutbox, capabilities, backoff, onProblem);
    const storedEntries = await historyOutbox.loadEntries((problem) => onProblem(problem, 0));
    for (const storedEntry of storedEntries)
      writer.enqueueEntry(storedEntry.entry, { storeEntry: () => Promise.resolve(storedEntry) });
    return writer;
  }

  get isFull(): boolean {
    return this.queue.length >= MAX_QUEUE_LENGTH || this.pendingLength >= MAX_PENDING_LENGTH;
  }

  /**
   * Appends a message behind those of earlier calls, and resolves once it is in the outbox, where it survives the end
   * of this process. `stored` then resolves to the message id, or to null when the service rejected the message
   * permanently. It stays pending while the service can't be reached.
   * @throws Error when the content can't be encrypted
   */
  async appendEntry(entry: NewHistoryEntry): Promise<{ stored: Promise<string | null> }> {
    const { written, stored } = this.enqueueEntry(entry, this.historyOutbox);
    await written;
    return { stored };
  }

  /**
   * Resolves when all pending messages survive a power failure. What the service has not stored must not be
   * acknowledged before.
   */
  async syncPendingEntries(): Promise<void> {
    await Promise.all(this.queue.map((pending) => pending.sync()));
  }

  /** Replaces the listener of this session. */
  listenForRejections(sessionId: string, listener: RejectionListener): void {
    this.rejectionListeners.set(sessionId, listener);
  }

  /** Resolves when the service has stored all messages of a turn or has rejected them permanently. */
  async waitUntilTurnIsStored(turnLocalId: string): Promise<void> {
    await Promise.all(this.queue.filter(({ place }) => place.turnLocalId === turnLocalId).map(({ stored }) => stored));
  }

  /** Announces turns again with their next messages, see {@link TurnAnnouncer.forgetTurns}. */
  forgetAnnouncedTurns(): void {
    this.turnAnnouncer.forgetAllTurns();
  }

  /** Resolves when the start of a new turn was stored, or is late, see {@link TurnAnnouncer.expectStart}. */
  expectStart(turnLocalId: string): Promise<void> {
    return this.turnAnnouncer.expectStart(turnLocalId);
  }

  /** The service has stored the start of a turn, see {@link TurnAnnouncer.confirmStart}. */
  confirmStart(turnLocalId: string): void {
    this.turnAnnouncer.confirmStart(turnLocalId);
  }

  /** Sends the first report of a turn, see {@link TurnAnnouncer.announceTurn}. */
  announceTurn(sessionId: string, turnLocalId: string): Promise<void> {
    return this.turnAnnouncer.announceTurn({ sessionId, turnLocalId });
  }

  /** Waits briefly for the service. Pending messages stay in the outbox for the next run. */
  async close(): Promise<void> {
    const sent = this.isStalled ? undefined : this.sendLoop;
    const removed = Promise.resolve(sent).then(() => this.lastRemoval);
    await Promise.race([removed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    clearTimeout(this.syncTimer);
    this.closeController.abort();
  }

  private enqueueEntry(
    { content, ...place }: NewHistoryEntry,
    outbox: Pick<HistoryOutbox, 'storeEntry'>,
  ): PendingEntry {
    const pending = new PendingEntry(place, content, outbox, ({ message }) =>
      this.onProblem(`The outbox can't be written: ${message}`, this.queue.length),
    );
    this.queue.push(pending);
    pending.sealed.then(
      (entry) => (this.pendingLength += entry.content.length),
      () => {
        this.queue.splice(this.queue.indexOf(pending), 1);
        pending.resolveStored(null);
      },
    );
    this.syncTimer ??= setTimeout(() => {
      this.syncTimer = undefined;
      void this.syncPendingEntries();
    }, SYNC_DELAY_MS).unref();
    this.sendLoop ??= this.sendQueue();
    return pending;
  }

  private async sendQueue(): Promise<void> {
    while (this.queue.length > 0 && !this.closeController.signal.aborted) {
      const batch = await this.takeNextBatch();
      await this.waitForCapabilities(batch);
      if (this.closeController.signal.aborted) break;
      // It can't be encrypted.
      if (batch.length === 0) continue;
      try {
        const ids = await this.postBatch(batch);
        this.backoff.resetDelay();
        this.isStalled = false;
        this.settleBatch(batch, (entry) => ids.get(entry.localId)!);
        this.batchSize = Math.min(MAX_BATCH_SIZE, this.batchSize * 2);
      } catch (error) {
        if (!isPermanentRejection(error)) await this.waitBeforeRetry(error as Error, batch);
        else if (this.forgetLostTurns(batch)) continue;
        else if (batch.length > 1) this.batchSize = 1;
        else await this.setAside(batch[0]!, error);
      }
    }
    this.batchSize = MAX_BATCH_SIZE;
    // In the same synchronous step as the check of the queue, so that a later message starts a new run.
    this.sendLoop = undefined;
  }

  /**
   * Returns whether to send the messages again, once: the service may have lost their turns since the announcement, and
   * a new connection may have forgotten them already.
   */
  private forgetLostTurns(batch: SealedEntry[]): boolean {
    if (this.hasAnnouncedAgain) return false;
    this.turnAnnouncer.forgetTurns(batch.map(({ entry }) => entry));
    this.hasAnnouncedAgain = batch.some(({ entry }) => entry.turnLocalId !== undefined);
    return this.hasAnnouncedAgain;
  }

  /** Returns the oldest messages, all of one session, when they are encrypted. */
  private async takeNextBatch(): Promise<SealedEntry[]> {
    const [{ place, written }] = this.queue as [PendingEntry];
    if (place.turnLocalId === undefined) {
      // A program that replies at once does so in this moment. Then one call carries the message and its reply.
      await written.catch(() => undefined);
      await yieldToEventLoop();
    } else if (this.capabilities.areTurnsAccepted) {
      // Then one call also carries what the agent has said until the service knows the turn.
      await this.turnAnnouncer.waitForStart(place.turnLocalId);
    }
    const sessionEndIndex = this.queue.findIndex(({ place: { sessionId } }) => sessionId !== place.sessionId);
    const batch = this.queue.slice(0, Math.min(this.batchSize, sessionEndIndex < 0 ? Infinity : sessionEndIndex));
    const results = await Promise.allSettled(batch.map(async (pending) => ({ pending, entry: await pending.sealed })));
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }

  /** Waits for the first `hello` before messages of turns: until then it is unknown whether the service has turns. */
  private async waitForCapabilities(batch: SealedEntry[]): Promise<void> {
    if (!batch.some(({ entry }) => entry.turnLocalId !== undefined || entry.imported)) return;
    await this.capabilities.waitForHello(this.closeController.signal);
  }

  private async postBatch(batch: SealedEntry[]): Promise<Map<string, string>> {
    if (this.capabilities.areTurnsAccepted) await this.turnAnnouncer.announceTurns(batch.map(({ entry }) => entry));
    const path = `/v1/sessions/${encodeURIComponent(batch[0]?.entry.sessionId ?? '')}/messages`;
    const post = (isImport: boolean) =>
      this.device.callApi<DataEnvelope<{ id: string; localId: string }[]>>('POST', path, {
        messages: batch.map(({ entry }) => this.toMessage(entry, isImport)),
      });
    const isImport = this.capabilities.isAccepted('session.resume') && batch.some(({ entry }) => entry.imported);
    const { data } = await post(isImport).catch((error: unknown) => {
      // An instance of an earlier release, of which a deploy leaves some for a while, doesn't know `imported`.
      if (isImport && error instanceof ApiResponseError && error.status === 400) return post(false);
      throw error;
    });
    const ids = new Map(data.map(({ id, localId }) => [localId, id]));
    if (batch.some(({ entry }) => !ids.has(entry.localId)))
      throw new UnreachableError('The answer does not name all messages, so something else than the service gave it.');
    return ids;
  }

  private toMessage({ localId, role, content, turnLocalId, imported }: HistoryEntry, isImport: boolean) {
    return {
      ...{ localId, role, content },
      ...(this.capabilities.areTurnsAccepted && { turnLocalId }),
      ...(isImport && { imported }),
    };
  }

  private settleBatch(batch: SealedEntry[], getMessageId: (entry: HistoryEntry) => string | null): void {
    this.removeFromQueue(batch, getMessageId);
    // A message that stays in the outbox is sent again by the next run. Its localId makes that idempotent.
    const removed = Promise.allSettled(batch.map(async ({ pending }) => (await pending.written).remove()));
    // Without a value, which would hold those of all removals before.
    this.lastRemoval = Promise.all([this.lastRemoval, removed]).then(() => undefined);
  }

  /** Keeps what the service rejects, and says so: nothing is lost in silence. */
  private async setAside(rejected: SealedEntry, error: ApiResponseError): Promise<void> {
    const { entry } = rejected;
    // Before the message leaves the outbox: after a crash in between, both are done again.
    await this.rejectionListeners
      .get(entry.sessionId)?.(entry, error)
      .catch((failure: Error) => this.onProblem(failure.message, this.queue.length));
    const outboxEntry = await rejected.pending.written;
    const place = await outboxEntry.setAside().catch((failure: Error) => `the outbox, ${failure.message}`);
    this.removeFromQueue([rejected], () => null);
    const placeNote = place === null ? '' : ` It is kept in ${place}.`;
    this.onProblem(`The service rejected a message: ${error.message}${placeNote}`, this.queue.length);
  }

  private removeFromQueue(batch: SealedEntry[], getMessageId: (entry: HistoryEntry) => string | null): void {
    this.queue.splice(0, batch.length);
    this.hasAnnouncedAgain = false;
    for (const { pending, entry } of batch) {
      this.pendingLength -= entry.content.length;
      pending.resolveStored(getMessageId(entry));
    }
  }

  private async waitBeforeRetry(error: Error, batch: SealedEntry[]): Promise<void> {
    // A connection that breaks again and again, or a proxy with a limit of its own, may let fewer messages through.
    if (error instanceof UnreachableError) this.batchSize = Math.ceil(batch.length / 2);
    this.isStalled = true;
    this.onProblem(error.message, this.queue.length);
    const { backoff, capabilities } = this;
    const { signal } = this.closeController;
    await waitBeforeAttempt(error, { backoff, capabilities, signal });
  }
}

/** The session was deleted, or the message is invalid. An exceeded plan limit is not permanent. */
function isPermanentRejection(error: unknown): error is ApiResponseError {
  if (!(error instanceof ApiResponseError) || isTransient(error) || error.status === 401) return false;
  return error.code !== 'plan_limit_exceeded';
}
