import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../../common/periodic-task';
import { ShutdownState } from '../../common/shutdown-state';
import { ChangeSignals } from '../../core/redis';
import { isAnswerDue } from './turn-wait-rules';
import { buildTurnKey, TurnWaitRegistry } from './turn-wait-registry';
import type { TurnRow } from './turn.response.dto';
import { TurnsRepository } from './turns.repository';

/** Signals may be lost, so all turns that callers wait for are checked again after this time. */
const CHECK_INTERVAL_MS = 2_000;
/** The longest wait that a draining instance begins, so that callers who ask again do not do so in a tight loop. */
const DRAINING_WAIT_MS = 1_000;

/**
 * Lets callers wait for a change of a turn. A wait holds no database connection: one statement checks all turns that
 * have changed, or all that callers of this instance wait for.
 */
@Injectable()
export class TurnWaitsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private dueKeys = new Set<string>();
  private readonly checkTask = new PeriodicTask('turn check', CHECK_INTERVAL_MS, () => this.checkDueTurns());
  private readonly pollTask = new PeriodicTask('turn poll', CHECK_INTERVAL_MS, () => {
    for (const key of this.waits.turnKeys) this.dueKeys.add(key);
    this.checkTask.trigger();
  });

  constructor(
    private readonly waits: TurnWaitRegistry,
    private readonly turns: TurnsRepository,
    private readonly changeSignals: ChangeSignals,
    private readonly shutdownState: ShutdownState,
  ) {}

  onApplicationBootstrap(): void {
    this.changeSignals.changedKeys.subscribe((key) => this.checkTurn(key));
    this.shutdownState.drainingSignal.addEventListener('abort', () => this.endAllWaits(), { once: true });
    this.pollTask.start();
  }

  /** Not earlier, since a draining instance still serves calls. */
  async onApplicationShutdown(): Promise<void> {
    this.endAllWaits();
    await this.pollTask.stop();
    await this.checkTask.stop();
  }

  /**
   * Resolves when the turn's version is greater than `afterVersion` (without it, than that of `row`), when the turn has
   * ended or is deleted, when the time is over, when the caller is gone, or when this instance begins to drain.
   * @throws ApiError 429 `too_many_waits`
   */
  async waitForChange(
    row: TurnRow,
    { waitMs, afterVersion }: { waitMs: number; afterVersion: number | null },
    disconnectSignal: AbortSignal,
  ): Promise<void> {
    if (disconnectSignal.aborted) return;
    const { promise, resolve: end } = createDeferred();
    const wait = {
      accountId: row.account_id,
      sessionId: row.session_id,
      turnId: row.id,
      afterVersion: afterVersion ?? row.version,
      end,
    };
    this.waits.addWait(wait);
    const timer = setTimeout(end, this.shutdownState.isDraining ? Math.min(waitMs, DRAINING_WAIT_MS) : waitMs);
    disconnectSignal.addEventListener('abort', end, { once: true });
    // A change may have committed after the row was read.
    this.checkTurn(buildTurnKey(row.session_id, row.id));
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      disconnectSignal.removeEventListener('abort', end);
      this.waits.removeWait(wait);
    }
  }

  private checkTurn(key: string): void {
    if (!this.waits.hasWaits(key)) return;
    this.dueKeys.add(key);
    this.checkTask.trigger();
  }

  private async checkDueTurns(): Promise<void> {
    const waits = [...this.dueKeys].flatMap((key) => this.waits.getWaits(key));
    this.dueKeys = new Set();
    if (waits.length === 0) return;
    const progressByKey = await this.turns.findProgress(waits);
    for (const wait of waits) {
      const progress = progressByKey.get(buildTurnKey(wait.sessionId, wait.turnId));
      if (!progress || isAnswerDue(progress, wait.afterVersion)) wait.end();
    }
  }

  private endAllWaits(): void {
    for (const key of this.waits.turnKeys) for (const wait of this.waits.getWaits(key)) wait.end();
  }
}

function createDeferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
