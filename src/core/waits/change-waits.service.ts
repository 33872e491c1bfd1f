import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../../common/periodic-task';
import { ShutdownState } from '../../common/shutdown-state';
import { ChangeSignals } from '../redis';
import type { ChangeQueryDto } from './change-query.dto';
import { ChangeWaitRegistry, type ChangeWait, type RecordProgress, type WaitedRecords } from './change-wait-registry';

/** Signals may be lost, so all records that callers wait for are checked again after this time. */
const CHECK_INTERVAL_MS = 2_000;
/** The longest wait that a draining instance begins, so that callers who ask again do not do so in a tight loop. */
const DRAINING_WAIT_MS = 1_000;

/**
 * Lets callers wait for a change of a record. A wait holds no database connection: one statement per kind of record
 * checks all that have changed, or all that callers of this instance wait for.
 */
@Injectable()
export class ChangeWaitsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private dueKeys = new Set<string>();
  private readonly checkTask = new PeriodicTask('change check', CHECK_INTERVAL_MS, () => this.checkDueRecords());
  private readonly pollTask = new PeriodicTask('change poll', CHECK_INTERVAL_MS, () => {
    for (const key of this.waits.keys) this.dueKeys.add(key);
    this.checkTask.trigger();
  });

  constructor(
    private readonly waits: ChangeWaitRegistry,
    private readonly changeSignals: ChangeSignals,
    private readonly shutdownState: ShutdownState,
  ) {}

  onApplicationBootstrap(): void {
    this.changeSignals.changedKeys.subscribe((key) => this.checkRecord(key));
    this.shutdownState.drainingSignal.addEventListener('abort', () => this.endAllWaits(), { once: true });
    this.pollTask.start();
  }

  /** Not earlier, since a draining instance still serves calls. */
  async onApplicationShutdown(): Promise<void> {
    this.endAllWaits();
    await this.pollTask.stop();
    await this.checkTask.stop();
  }

  /** Registers a kind of record. Called once by the module that owns it. */
  registerRecords(records: WaitedRecords): void {
    this.waits.registerRecords(records);
  }

  /**
   * Returns the record, after a change if the caller waits.
   * @param read reads the record, or throws if it doesn't exist
   * @throws ApiError 429 `too_many_waits`
   */
  async readAfterChange<Row extends RecordProgress>(
    record: Pick<ChangeWait, 'accountId' | 'records' | 'key'>,
    { waitMs = 0, afterVersion }: ChangeQueryDto,
    read: () => Promise<Row>,
    disconnectSignal: AbortSignal,
  ): Promise<Row> {
    const row = await read();
    if (waitMs === 0 || record.records.isAnswerDue(row, afterVersion ?? null)) return row;
    await this.waitForChange({ ...record, afterVersion: afterVersion ?? row.version, waitMs }, disconnectSignal);
    return disconnectSignal.aborted ? row : read();
  }

  /**
   * Resolves when the record's progress is due or the record is deleted, when the time is over, when the caller is
   * gone, or when this instance begins to drain.
   * @throws ApiError 429 `too_many_waits`
   */
  async waitForChange(
    wait: Omit<ChangeWait, 'end'> & { waitMs: number },
    disconnectSignal: AbortSignal,
  ): Promise<void> {
    if (disconnectSignal.aborted) return;
    const { waitMs, ...condition } = wait;
    const { promise, resolve: end } = createDeferred();
    const registeredWait = { ...condition, end };
    this.waits.addWait(registeredWait);
    const timer = setTimeout(end, this.shutdownState.isDraining ? Math.min(waitMs, DRAINING_WAIT_MS) : waitMs);
    disconnectSignal.addEventListener('abort', end, { once: true });
    // A change may have committed after the record was read.
    this.checkRecord(condition.key);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      disconnectSignal.removeEventListener('abort', end);
      this.waits.removeWait(registeredWait);
    }
  }

  private checkRecord(key: string): void {
    if (!this.waits.hasWaits(key)) return;
    this.dueKeys.add(key);
    this.checkTask.trigger();
  }

  private async checkDueRecords(): Promise<void> {
    const waits = [...this.dueKeys].flatMap((key) => this.waits.getWaits(key));
    this.dueKeys = new Set();
    for (const records of new Set(waits.map((wait) => wait.records))) {
      await this.checkWaits(
        records,
        waits.filter((wait) => wait.records === records),
      );
    }
  }

  private async checkWaits(records: WaitedRecords, waits: readonly ChangeWait[]): Promise<void> {
    const progressByKey = await records.readProgress([...new Set(waits.map(({ key }) => key))]);
    for (const wait of waits) {
      const progress = progressByKey.get(wait.key);
      if (!progress || records.isAnswerDue(progress, wait.afterVersion)) wait.end();
    }
  }

  private endAllWaits(): void {
    for (const key of this.waits.keys) for (const wait of this.waits.getWaits(key)) wait.end();
  }
}

function createDeferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
