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
  private readonly known = new Set<string>();

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
    const today = this.clock.now();
    for (let day = 0; day <= AHEAD_DAYS; day++) await this.ensure(new Date(today + day * DAY));
  }

  /** That there is one for this time; not within a transaction of which more depends on it. */
  async ensure(at: Date): Promise<void> {
    const name = nameOf(at);
    if (this.known.has(name)) return;
    await this.alone(ATTACH_TIMEOUT, async () => {
      const [found] = await this.unitOfWork.query<{ found: boolean }>(
        'SELECT to_regclass($1) IS NOT NULL AS found',
        [name],
      );
      if (found!.found) return;
      const from = startOf(at);
      const bounds = [from, from + DAY].map((ms) => `'${new Date(ms).toISOString()}'`);
      // Attached, not created in place: that would keep everybody from the whole log while it waits for its lock.
      await this.unitOfWork.query(`CREATE TABLE ${name} (LIKE ${PARENT})`);
      await this.unitOfWork.query(
        `ALTER TABLE ${PARENT} ATTACH PARTITION ${name} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`,
      );
    });
    this.known.add(name);
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
    const oldest = nameOf(new Date(this.clock.now() - KEPT_DAYS * DAY));
    for (const { name } of rows.filter((row) => row.name < oldest)) {
      try {
        await this.alone(DROP_TIMEOUT, () => this.unitOfWork.query(`DROP TABLE IF EXISTS ${name}`));
        this.known.delete(name);
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

function startOf(at: Date): number {
  return Math.floor(at.getTime() / DAY) * DAY;
}

/** `webhook_attempts_20260131`: in the order of their days. */
function nameOf(at: Date): string {
  return `${PARENT}_${new Date(startOf(at)).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
