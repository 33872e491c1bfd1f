import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ApiError } from '../../common/errors';
import { SlotLimiter } from '../../common/slot-limiter';
import { addGauge } from '../metrics';

const MAX_WAITS_PER_ACCOUNT = 200;
const MAX_WAITS = 5_000;

/** What decides whether a caller gets an answer. */
export interface RecordProgress {
  state: string;
  /** Number of changes, from 1. */
  version: number;
}

/** A kind of record that callers wait for. */
export interface WaitedRecords {
  /** Name and description of the metric that counts the waits of this instance. */
  metric: { name: string; help: string };
  /** Reads the progress of records by their key, without those that no longer exist. */
  readProgress: (keys: readonly string[]) => Promise<ReadonlyMap<string, RecordProgress>>;
  /**
   * Returns whether a call answers at once.
   * @param afterVersion version that the caller knows; null if it named none
   */
  isAnswerDue(progress: RecordProgress, afterVersion: number | null): boolean;
}

/** Call that waits for a change of one record. */
export interface ChangeWait {
  accountId: string;
  records: WaitedRecords;
  /** Key of the record in signals between instances, unique among all kinds. */
  key: string;
  /** The call waits for a greater version, or for a final state. */
  afterVersion: number;
  /** Ends the wait. Further calls do nothing. */
  end: () => void;
}

/** Waits that this instance holds, limited per account and in total over all kinds of records. */
@Injectable()
export class ChangeWaitRegistry {
  private readonly waitsByKey = new Map<string, Set<ChangeWait>>();
  private readonly slots = new SlotLimiter(MAX_WAITS_PER_ACCOUNT, MAX_WAITS);
  private readonly countsByRecords = new Map<WaitedRecords, number>();

  constructor(private readonly registry: Registry) {}

  /** Adds the metric of a kind of record. */
  registerRecords(records: WaitedRecords): void {
    const { name, help } = records.metric;
    addGauge(this.registry, name, help, () => this.countsByRecords.get(records) ?? 0);
  }

  get keys(): string[] {
    return [...this.waitsByKey.keys()];
  }

  hasWaits(key: string): boolean {
    return this.waitsByKey.has(key);
  }

  getWaits(key: string): ChangeWait[] {
    return [...(this.waitsByKey.get(key) ?? [])];
  }

  /** @throws ApiError 429 `too_many_waits` */
  addWait(wait: ChangeWait): void {
    if (this.slots.acquireSlot(wait.accountId)) throw tooManyWaitsError();
    const waits = this.waitsByKey.get(wait.key) ?? new Set();
    this.waitsByKey.set(wait.key, waits.add(wait));
    this.addCount(wait.records, 1);
  }

  removeWait(wait: ChangeWait): void {
    const waits = this.waitsByKey.get(wait.key);
    if (!waits?.delete(wait)) return;
    if (waits.size === 0) this.waitsByKey.delete(wait.key);
    this.slots.releaseSlot(wait.accountId);
    this.addCount(wait.records, -1);
  }

  private addCount(records: WaitedRecords, change: 1 | -1): void {
    this.countsByRecords.set(records, (this.countsByRecords.get(records) ?? 0) + change);
  }
}

function tooManyWaitsError(): ApiError {
  return new ApiError('too_many_waits', 'Too many calls wait for changes. Try again when one of them has ended.', {
    headers: { 'Retry-After': '1' },
  });
}
