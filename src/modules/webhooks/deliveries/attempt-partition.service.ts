import { Injectable, Logger } from '@nestjs/common';
import { Clock, DAY } from '../../../common/clock';
import { UnitOfWork } from '../../../core/database';

const PARENT_TABLE = 'webhook_attempts';
const DAYS_AHEAD = 7;
const RETENTION_DAYS = 30;
/** Serializes partition changes across instances. The value is arbitrary. */
const ADVISORY_LOCK_ID = 7_264_003;
const ATTACH_TIMEOUT = '2s';
const DROP_TIMEOUT = '100ms';

/**
 * Maintains the daily partitions (UTC) of the attempt log. Creates them a week ahead and drops them after thirty days.
 */
@Injectable()
export class AttemptPartitionService {
  private readonly logger = new Logger('Webhooks');
  /** Starts of the days with a partition, in Unix ms. */
  private readonly knownDays = new Set<number>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async maintainPartitions(): Promise<void> {
    await this.ensureUpcomingPartitions();
    await this.dropExpiredPartitions();
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
   */
  async ensurePartitions(times: readonly number[]): Promise<void> {
    for (const day of new Set(times.map(getStartOfDay))) if (!this.knownDays.has(day)) await this.createPartition(day);
  }

  private async createPartition(day: number): Promise<void> {
    const name = toPartitionName(day);
    await this.runExclusive(ATTACH_TIMEOUT, async () => {
      const [found] = await this.unitOfWork.queryRows<{ found: boolean }>(
        'SELECT to_regclass($1) IS NOT NULL AS found',
        [name],
      );
      if (found!.found) return;
      const bounds = [day, day + DAY].map((ms) => `'${new Date(ms).toISOString()}'`);
      // Attaching takes a weaker lock than CREATE TABLE ... PARTITION OF, which would block the whole log while it
      // waits.
      await this.unitOfWork.queryRows(`CREATE TABLE ${name} (LIKE ${PARENT_TABLE})`);
      await this.unitOfWork.queryRows(
        `ALTER TABLE ${PARENT_TABLE} ATTACH PARTITION ${name} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`,
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
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${PARENT_TABLE}'::regclass`,
    );
    const oldestName = toPartitionName(getStartOfDay(this.clock.now() - RETENTION_DAYS * DAY));
    for (const { name } of rows.filter((row) => row.name < oldestName)) {
      try {
        await this.runExclusive(DROP_TIMEOUT, () => this.unitOfWork.queryRows(`DROP TABLE IF EXISTS ${name}`));
        this.clearKnownDays();
      } catch (error) {
        this.logger.warn({ name, reason: (error as Error).message }, 'webhook attempt partition drop failed');
      }
    }
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

/** Returns a name such as `webhook_attempts_20260131`. Names sort by day. */
function toPartitionName(day: number): string {
  return `${PARENT_TABLE}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
