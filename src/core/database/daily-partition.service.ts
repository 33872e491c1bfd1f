import { Logger } from '@nestjs/common';
import { DAY, type Clock } from '../../common/clock';
import type { UnitOfWork } from './unit-of-work';

const DAYS_AHEAD = 7;
/** Serializes partition changes across instances. The value is arbitrary. */
const ADVISORY_LOCK_ID = 7_264_003;
const ATTACH_TIMEOUT = '2s';
const DROP_TIMEOUT = '100ms';

/**
 * Base of the services that maintain the daily partitions (UTC) of a log. Creates them a week ahead and drops them
 * after their retention.
 */
export abstract class DailyPartitionService {
  /** Table that is partitioned by the range of a time, into partitions such as `webhook_attempts_20260131`. */
  protected abstract readonly parentTable: string;
  /** How long rows are kept at least, in ms. */
  protected abstract readonly retentionMs: number;
  private readonly logger = new Logger('Partitions');
  /** Starts of the days with a partition, in Unix ms. */
  private readonly knownDays = new Set<number>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async maintainPartitions(): Promise<void> {
    try {
      await this.ensureUpcomingPartitions();
    } finally {
      await this.dropExpiredPartitions();
    }
  }

  /** Creates the partitions of today and the next week. */
  async ensureUpcomingPartitions(): Promise<void> {
    const now = this.clock.now();
    await this.ensurePartitions(Array.from({ length: DAYS_AHEAD + 1 }, (_, days) => now + days * DAY));
  }

  /**
   * Creates the missing partitions for these times. Do not call it inside a transaction whose other work must survive a
   * failure.
   * @param times Unix ms
   * @throws Error of the first day that failed, such as one with rows in a default partition, after all other days
   */
  async ensurePartitions(times: readonly number[]): Promise<void> {
    const unknownDays = [...new Set(times.map(getStartOfDay))].filter((day) => !this.knownDays.has(day));
    if (unknownDays.length === 0) return;
    const existingNames = await this.findPartitions(unknownDays.map((day) => this.getPartitionName(day)));
    const [existing, missing] = [true, false].map((exists) =>
      unknownDays.filter((day) => existingNames.has(this.getPartitionName(day)) === exists),
    );
    for (const day of existing!) this.knownDays.add(day);
    // All in one transaction. If that fails, one day must not prevent the others.
    await this.createPartitions(missing!).catch(async (error: unknown) => {
      if (missing!.length === 1) throw error;
      const errors: unknown[] = [];
      for (const day of missing!) await this.createPartitions([day]).catch((reason: unknown) => errors.push(reason));
      if (errors.length > 0) throw errors[0];
    });
  }

  private async createPartitions(days: readonly number[]): Promise<void> {
    if (days.length === 0) return;
    await this.runExclusive(ATTACH_TIMEOUT, async () => {
      // Another instance may have created them before this one got the lock.
      const existingNames = await this.findPartitions(days.map((day) => this.getPartitionName(day)));
      for (const day of days) {
        if (!existingNames.has(this.getPartitionName(day))) await this.createPartition(day);
      }
    });
    for (const day of days) this.knownDays.add(day);
  }

  private async createPartition(day: number): Promise<void> {
    const name = this.getPartitionName(day);
    const bounds = [day, day + DAY].map((ms) => `'${new Date(ms).toISOString()}'`);
    // Attaching takes a weaker lock than CREATE TABLE ... PARTITION OF, which would block the whole log while it waits.
    await this.unitOfWork.queryRows(`CREATE TABLE ${name} (LIKE ${this.parentTable} INCLUDING CONSTRAINTS)`);
    await this.unitOfWork.queryRows(
      `ALTER TABLE ${this.parentTable} ATTACH PARTITION ${name} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`,
    );
  }

  /** Returns those of the names that are tables. */
  private async findPartitions(names: readonly string[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.queryRows<{ name: string }>(
      'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
      [names],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** Returns the time from which rows are needed beyond their retention, in Unix ms. None are by default. */
  protected findOldestRequiredTime(): Promise<number> {
    return Promise.resolve(Infinity);
  }

  /** Clears the cache after a partition turned out to be missing. */
  clearKnownDays(): void {
    this.knownDays.clear();
  }

  /**
   * Drops partitions that are past retention. Uses a short lock timeout, since a waiting DROP blocks all access to the
   * log. The next run retries.
   */
  private async dropExpiredPartitions(): Promise<void> {
    const rows = await this.unitOfWork.queryRows<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${this.parentTable}'::regclass`,
    );
    const oldest = Math.min(this.clock.now() - this.retentionMs, await this.findOldestRequiredTime());
    const oldestName = this.getPartitionName(getStartOfDay(oldest));
    for (const { name } of rows.filter((row) => row.name < oldestName)) {
      try {
        await this.runExclusive(DROP_TIMEOUT, () => this.unitOfWork.queryRows(`DROP TABLE IF EXISTS ${name}`));
        this.clearKnownDays();
      } catch (error) {
        this.logger.warn({ name, reason: (error as Error).message }, 'partition drop failed');
      }
    }
  }

  /** Returns a name that sorts by day. */
  private getPartitionName(day: number): string {
    return `${this.parentTable}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
  }

  private runExclusive(lockTimeout: string, work: () => Promise<unknown>): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.unitOfWork.queryRows(`SET LOCAL lock_timeout = '${lockTimeout}'`);
      await this.unitOfWork.queryRows('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK_ID]);
      await work();
    });
  }
}

function getStartOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}
