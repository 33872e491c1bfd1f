import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isTransient } from '../api-error';
import type { Data } from '../api-records';
import type { Backoff } from '../machine/backoff';
import type { SignedInDevice } from '../signed-in-device';
import type { HistoryEntry, KeptEntry, Outbox } from './outbox';

/** 20 of the longest texts are within the 8 MiB of one request (device-api.md, Sync). */
const BATCH = 20;
/** Texts that may wait before no more messages are taken. */
const CAPACITY = 1_000;
/** What a clean stop waits for the service. */
const CLOSING_MS = 2_000;

/** @param problem why texts wait or are given up, for people */
export type OnHistoryProblem = (problem: string, waiting: number) => void;

interface Waiting extends KeptEntry {
  settle: (messageId: string | null) => void;
}

/**
 * Writes history in the order in which it came, each text once: what the service does not take yet waits in the
 * outbox, over restarts of this program too, and is sent under the same `localId` until it does.
 */
export class HistoryWriter {
  /** Whether the last attempt failed: nobody should wait for what is appended now. */
  isStalled = false;
  private readonly queue: Waiting[] = [];
  private readonly closing = new AbortController();
  private sending: Promise<void> | undefined;
  private batchSize = BATCH;

  private constructor(
    private readonly device: SignedInDevice,
    private readonly outbox: Outbox,
    private readonly backoff: Backoff,
    private readonly onProblem: OnHistoryProblem,
  ) {}

  /** Goes on with what an earlier run left. */
  static async open(
    device: SignedInDevice,
    outbox: Outbox,
    backoff: Backoff,
    onProblem: OnHistoryProblem = () => undefined,
  ): Promise<HistoryWriter> {
    const writer = new HistoryWriter(device, outbox, backoff, onProblem);
    for (const kept of await outbox.load()) void writer.enqueue(kept);
    return writer;
  }

  get isFull(): boolean {
    return this.queue.length >= CAPACITY;
  }

  /**
   * Resolves once the text will not be lost, to what tells its message id: null where the service refused it for good,
   * pending as long as the service cannot be reached.
   */
  async append(entry: HistoryEntry): Promise<{ stored: Promise<string | null> }> {
    const kept = await this.outbox.keep(entry).catch((error: Error): KeptEntry => {
      this.onProblem(`The outbox cannot be written: ${error.message}`, this.queue.length + 1);
      return { entry, remove: () => Promise.resolve() };
    });
    return { stored: this.enqueue(kept) };
  }

  /** Gives the service a moment; what it does not take waits in the outbox for the next run. */
  async close(): Promise<void> {
    const { sending } = this;
    if (sending && !this.isStalled) await Promise.race([sending, sleep(CLOSING_MS, undefined, { ref: false })]);
    this.closing.abort();
  }

  private enqueue({ entry, remove }: KeptEntry): Promise<string | null> {
    return new Promise((settle) => {
      this.queue.push({ entry, remove, settle });
      this.sending ??= this.send();
    });
  }

  private async send(): Promise<void> {
    while (this.queue.length > 0 && !this.closing.signal.aborted) {
      const batch = this.nextBatch();
      try {
        const ids = await this.post(batch);
        this.backoff.reset();
        this.isStalled = false;
        await this.settle(batch, (entry) => ids.get(entry.localId) ?? null);
      } catch (error) {
        if (!isRefusal(error)) await this.wait(error as Error);
        else if (batch.length > 1) this.batchSize = 1;
        else await this.giveUp(batch, error);
      }
    }
    this.batchSize = BATCH;
    // In the same step as the look at the queue: what comes later starts anew.
    this.sending = undefined;
  }

  /** The oldest texts, all of one session. */
  private nextBatch(): Waiting[] {
    const sessionId = this.queue[0]?.entry.sessionId;
    const end = this.queue.findIndex(({ entry }) => entry.sessionId !== sessionId);
    return this.queue.slice(0, Math.min(this.batchSize, end < 0 ? Infinity : end));
  }

  private async post(batch: Waiting[]): Promise<Map<string, string>> {
    const path = `/v1/sessions/${encodeURIComponent(batch[0]?.entry.sessionId ?? '')}/messages`;
    const messages = batch.map(({ entry: { localId, role, content } }) => ({ localId, role, content }));
    const { data } = await this.device.call<Data<{ id: string; localId: string }[]>>('POST', path, {
      messages,
    });
    return new Map(data.map(({ id, localId }) => [localId, id]));
  }

  private async settle(batch: Waiting[], idOf: (entry: HistoryEntry) => string | null): Promise<void> {
    this.queue.splice(0, batch.length);
    for (const { entry, settle } of batch) settle(idOf(entry));
    // A text that stays in the outbox is sent again by the next run, which its localId makes harmless.
    await Promise.allSettled(batch.map(({ remove }) => remove()));
  }

  private async giveUp(batch: Waiting[], error: ApiError): Promise<void> {
    this.onProblem(`The service refuses a text for good: ${error.message}`, this.queue.length - batch.length);
    await this.settle(batch, () => null);
  }

  private async wait(error: Error): Promise<void> {
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    this.isStalled = true;
    this.onProblem(error.message, this.queue.length);
    const ms = Math.max(this.backoff.nextMs(), asked);
    await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}

/** The session is gone, or the text is not for it. A full plan, on the other hand, may have room again. */
function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || isTransient(error) || error.status === 401) return false;
  return error.code !== 'plan_limit_exceeded';
}
