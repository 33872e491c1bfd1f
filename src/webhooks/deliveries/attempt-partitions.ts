import { Injectable, Logger } from '@nestjs/common';
import { Clock, DAY } from '../../common/clock';
import { UnitOfWork } from '../../persistence';

const PARENT = 'webhook_attempts';
const AHEAD_DAYS = 7;
const KEPT_DAYS = 30;
/** Of one instance at a time; the number means nothing beyond this. */
const LOCK = 7_264_003;
const ATTACH_TIMEOUT = '2s';
const DROP_TIMEOUT = '100ms';

/** The log's partitions, one for each day (UTC): made a week ahead, dropped when the day is thirty days past. */
@Injectable()
export class AttemptPartitions {
  private readonly logger = new Logger('Webhooks');
  /** Beginnings of days that have one, Unix ms. */
  private readonly known = new Set<number>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async maintain(): Promise<void> {
    await this.ensureAhead();
    await this.dropOld();
  }

  /** Today's, and those of the week that follows. */
  async ensureAhead(): Promise<void> {
    const now = this.clock.now();
    await this.ensure(Array.from({ length: AHEAD_DAYS + 1 }, (_, days) => now + days * DAY));
  }

  /**
   * That there is one for each of these times; not within a transaction of which more depends on it.
   * @param times Unix ms
   */
  async ensure(times: readonly number[]): Promise<void> {
    for (const day of new Set(times.map(startOf))) if (!this.known.has(day)) await this.add(day);
  }

  private async add(day: number): Promise<void> {
    const name = nameOf(day);
    await this.alone(ATTACH_TIMEOUT, async () => {
      const [found] = await this.unitOfWork.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
        name,
      ]);
      if (found!.found) return;
      const bounds = [day, day + DAY].map((ms) => `'${new Date(ms).toISOString()}'`);
      // Attached, not created in place: that would keep everybody from the whole log while it waits for its lock.
      await this.unitOfWork.query(`CREATE TABLE ${name} (LIKE ${PARENT})`);
      await this.unitOfWork.query(
        `ALTER TABLE ${PARENT} ATTACH PARTITION ${name} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`,
      );
    });
    this.known.add(day);
  }

  /** One that was thought to be there is not. */
  forget(): void {
    this.known.clear();
  }

  /** Keeps everybody from the log while it waits for its lock, so it hardly waits: the next run tries again. */
  private async dropOld(): Promise<void> {
    const rows = await this.unitOfWork.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${PARENT}'::regclass`,
    );
    const oldest = nameOf(startOf(this.clock.now() - KEPT_DAYS * DAY));
    for (const { name } of rows.filter((row) => row.name < oldest)) {
      try {
        await this.alone(DROP_TIMEOUT, () => this.unitOfWork.query(`DROP TABLE IF EXISTS ${name}`));
        this.forget();
      } catch (error) {
        this.logger.warn({ name, reason: (error as Error).message }, 'a day of the log was not dropped');
      }
    }
  }

  private alone(lockTimeout: string, work: () => Promise<unknown>): Promise<void> {
    return this.unitOfWork.run(async () => {
      await this.unitOfWork.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
      await this.unitOfWork.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await work();
    });
  }
}

/** Of the day in which this time is. */
function startOf(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

/** `webhook_attempts_20260131`: in the order of their days. */
function nameOf(day: number): string {
  return `${PARENT}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
