import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Subject } from 'rxjs';
import { Clock, MINUTE } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { UnitOfWork } from './unit-of-work';

const RUN_INTERVAL_MS = 10 * MINUTE;
const BATCH_SIZE = 1_000;
const MAX_BATCHES_PER_RUN = 50;

/** Rows of a table to delete after a time. */
export interface RetentionRule {
  table: string;
  /** Time from which the retention of a row counts. */
  column: string;
  retentionMs: number;
}

/** What a run has done in one table. */
interface RetentionRun {
  table: string;
  deletedRowCount: number;
  /** False if expired rows are left. */
  isFinished: boolean;
}

/** Deletes expired rows in bounded batches, so that no transaction locks many rows for long. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Retention');
  readonly completedRuns = new Subject<RetentionRun>();
  private readonly rules: RetentionRule[] = [];
  private readonly deletionTask = new PeriodicTask('retention', RUN_INTERVAL_MS, async () => {
    if (!this.readOnlyState.isReadOnly) await this.deleteExpiredRows();
  });

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly readOnlyState: ReadOnlyState,
  ) {}

  /** Registers rules. Called by the module that owns the table. */
  registerRules(...rules: RetentionRule[]): void {
    this.rules.push(...rules);
  }

  onApplicationBootstrap(): void {
    this.deletionTask.start();
  }

  onApplicationShutdown(): void {
    void this.deletionTask.stop();
  }

  /** Applies all rules. Instances may run concurrently: they skip rows that another one has locked. */
  async deleteExpiredRows(): Promise<void> {
    for (const rule of this.rules) {
      try {
        this.completedRuns.next(await this.applyRule(rule));
      } catch (error) {
        this.completedRuns.next({ table: rule.table, deletedRowCount: 0, isFinished: false });
        this.logger.warn({ table: rule.table, reason: (error as Error).message }, 'expired row deletion failed');
      }
    }
  }

  private async applyRule({ table, column, retentionMs }: RetentionRule): Promise<RetentionRun> {
    const expiredBefore = new Date(this.clock.now() - retentionMs);
    let deletedRowCount = 0;
    for (let batch = 0; batch < MAX_BATCHES_PER_RUN; batch++) {
      const rows = await this.unitOfWork.queryRows(
        `DELETE FROM ${table} WHERE ctid IN (
           SELECT ctid FROM ${table} WHERE ${column} < $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1`,
        [expiredBefore, BATCH_SIZE],
      );
      deletedRowCount += rows.length;
      if (rows.length < BATCH_SIZE) return { table, deletedRowCount, isFinished: true };
    }
    return { table, deletedRowCount, isFinished: false };
  }
}
