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
    const errors: unknown[] = [];
    for (const day of new Set(times.map(getStartOfDay))) {
      if (!this.knownDays.has(day)) await this.createPartition(day).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }

  private async createPartition(day: number): Promise<void> {
    const name = this.getPartitionName(day);
    await this.runExclusive(ATTACH_TIMEOUT, async () => {
      const [found] = await this.unitOfWork.queryRows<{ found: boolean }>(
        'SELECT to_regclass($1) IS NOT NULL AS found',
        [name],
      );
      if (found!.found) return;
      const bounds = [day, day + DAY].map((ms) => `'${new Date(ms).toISOString()}'`);
      // Attaching takes a weaker lock than CREATE TABLE ... PARTITION OF, which would block the whole log while it
      // waits.
      await this.unitOfWork.queryRows(`CREATE TABLE ${name} (LIKE ${this.parentTable} INCLUDING CONSTRAINTS)`);
      await this.unitOfWork.queryRows(
        `ALTER TABLE ${this.parentTable} ATTACH PARTITION ${name} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`,
      );
    });
    this.knownDays.add(day);
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
    const oldestName = this.getPartitionName(getStartOfDay(this.clock.now() - this.retentionMs));
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
