import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, MINUTE } from '../common/clock';
import { UnitOfWork } from './unit-of-work';

const EVERY_MS = 10 * MINUTE;
const BATCH = 1_000;
const BATCHES_A_RUN = 50;

/** Rows that have had their time. */
export interface Expiry {
  table: string;
  /** The column that says when, and how long after that a row is kept. */
  column: string;
  keepMs: number;
}

/** Deletes what is past its time, a bounded number at a time, so that no run holds anything up. */
@Injectable()
export class Retention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Retention');
  private readonly expiries: Expiry[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Called by the module that owns the table. */
  register(...expiries: Expiry[]): void {
    this.expiries.push(...expiries);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Several instances may run it at once: each row is deleted by one of them. */
  async run(): Promise<void> {
    for (const expiry of this.expiries) {
      try {
        await this.clear(expiry);
      } catch (error) {
        this.logger.warn({ table: expiry.table, reason: (error as Error).message }, 'old rows were not deleted');
      }
    }
  }

  private async clear({ table, column, keepMs }: Expiry): Promise<void> {
    const before = new Date(this.clock.now() - keepMs);
    for (let batch = 0; batch < BATCHES_A_RUN; batch++) {
      const rows = await this.unitOfWork.query(
        `DELETE FROM ${table} WHERE ctid IN (
           SELECT ctid FROM ${table} WHERE ${column} < $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1`,
        [before, BATCH],
      );
      if (rows.length < BATCH) return;
    }
  }
}
