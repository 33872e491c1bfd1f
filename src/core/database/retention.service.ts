import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Subject } from 'rxjs';
import { Clock, MINUTE } from '../../common/clock';
import { getLowestId, type IdPrefix } from '../../common/ids';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { UnitOfWork } from './unit-of-work';

/** Time until the first run, so that an instance that often restarts also deletes. */
const FIRST_RUN_DELAY_MS = MINUTE;
const RUN_INTERVAL_MS = 10 * MINUTE;
const BATCH_SIZE = 1_000;
/** Pause after a round, as a multiple of its duration, if there is more to delete: a run uses a quarter of the time. */
const PAUSE_FACTOR = 3;
/** First key of the advisory locks on tables. The value is arbitrary. */
const ADVISORY_LOCK_CLASS = 7_264_006;

/** Rows of a table to delete after a time. */
export interface RetentionRule {
  table: string;
  /** Time from which the retention of a row counts. */
  column: string;
  retentionMs: number;
  /**
   * Column of ids that sort by the time of creation, which is the time in `column`. The primary key then finds expired
   * rows, so that the time needs no index.
   */
  id?: { column: string; prefix: IdPrefix };
}

/** What a run has done in one table. */
interface RetentionRun {
  table: string;
  deletedRowCount: number;
  /** False if expired rows are left. */
  isFinished: boolean;
}

/** Table from which a run deletes. */
interface RetentionProgress {
  rule: RetentionRule;
  /** Rows that were deleted since the last report. */
  deletedRowCount: number;
  /** Highest id that the run has deleted. The index still contains those before it. */
  lastId: string;
}

interface DeletedBatch {
  /** False while another instance deletes from the table. */
  hasTurn: boolean;
  count: number;
  lastId: string | null;
}

/**
 * Deletes expired rows in bounded batches, so that no transaction locks many rows for long. A run goes on until no
 * table has expired rows, so that it keeps up with every rate at which they expire. Each batch commits by itself:
 * another instance continues where a killed one ended.
 */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Retention');
  readonly completedRuns = new Subject<RetentionRun>();
  private readonly rules: RetentionRule[] = [];
  private readonly stopController = new AbortController();
  private readonly deletionTask = new PeriodicTask('retention', RUN_INTERVAL_MS, () => this.deleteExpiredRows());

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
    const firstRun = setTimeout(() => this.deletionTask.trigger(), FIRST_RUN_DELAY_MS).unref();
    this.stopController.signal.addEventListener('abort', () => clearTimeout(firstRun));
  }

  onApplicationShutdown(): void {
    this.stopController.abort();
    void this.deletionTask.stop();
  }

  /** Applies all rules, a batch of each in turn. Pauses in read-only mode until the next run. */
  async deleteExpiredRows(): Promise<void> {
    let pending: RetentionProgress[] = this.rules.map((rule) => ({ rule, deletedRowCount: 0, lastId: '' }));
    for (let reportedAt = performance.now(); pending.length > 0;) {
      if (this.readOnlyState.isReadOnly || this.stopController.signal.aborted) return;
      const startedAt = performance.now();
      pending = await this.deleteRound(pending);
      const now = performance.now();
      if (now - reportedAt >= RUN_INTERVAL_MS) {
        for (const progress of pending) this.reportRun(progress, false);
        reportedAt = now;
      }
      if (pending.length > 0) await this.pause((now - startedAt) * PAUSE_FACTOR);
    }
  }

  /** Deletes a batch from each table. Returns the tables that have more expired rows. */
  private async deleteRound(pending: readonly RetentionProgress[]): Promise<RetentionProgress[]> {
    const unfinished: RetentionProgress[] = [];
    for (const progress of pending) {
      const { table } = progress.rule;
      try {
        const batch = await this.deleteBatch(progress);
        progress.deletedRowCount += batch.count;
        progress.lastId = batch.lastId ?? progress.lastId;
        if (batch.count === BATCH_SIZE) unfinished.push(progress);
        else this.reportRun(progress, batch.hasTurn);
      } catch (error) {
        this.reportRun(progress, false);
        this.logger.warn({ table, reason: (error as Error).message }, 'expired row deletion failed');
      }
    }
    return unfinished;
  }

  /** Deletes nothing while another instance deletes from the table, which then continues alone. */
  private async deleteBatch({ rule, lastId }: RetentionProgress): Promise<DeletedBatch> {
    const { table, column, retentionMs, id } = rule;
    const expiredBefore = this.clock.now() - retentionMs;
    const [batch] = await this.unitOfWork.queryRows<DeletedBatch>(
      `WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK_CLASS}, hashtext($3)) AS acquired),
         deleted AS (
           DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM ${table} WHERE (SELECT acquired FROM turn) AND ${column} < $1
               ${id ? `AND ${id.column} >= $4 AND ${id.column} < $5 ORDER BY ${id.column}` : ''}
              LIMIT $2 FOR UPDATE SKIP LOCKED))
           RETURNING ${id ? id.column : 'NULL::text'} AS id)
       SELECT (SELECT acquired FROM turn) AS "hasTurn", count(*)::int AS count, max(id) AS "lastId" FROM deleted`,
      [new Date(expiredBefore), BATCH_SIZE, table, ...(id ? [lastId, getLowestId(id.prefix, expiredBefore)] : [])],
    );
    return batch!;
  }

  private reportRun(progress: RetentionProgress, isFinished: boolean): void {
    this.completedRuns.next({
      table: progress.rule.table,
      deletedRowCount: progress.deletedRowCount,
      isFinished,
    });
    progress.deletedRowCount = 0;
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopController.signal, ref: false }).catch(() => undefined);
  }
}
