import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from '../../core/config';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder } from '../sessions';
import { isOpenTurnState } from './turn-transitions';
import { TurnChangePublisher } from './turn-change-publisher';
import { TurnsRepository, type AbandonedTurn } from './turns.repository';

const MAX_CHECK_INTERVAL_MS = 30 * SECOND;
/** Time that devices get to reconnect after the service itself was away. */
const MAX_RECONNECT_MS = 2 * MINUTE;
const BATCH_SIZE = 100;

/**
 * Records open turns as lost whose device has been away for too long. Every instance runs it: the lock of the session
 * and a second check decide which of them writes.
 */
@Injectable()
export class TurnLossRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly lostAfterMs: number;
  private readonly lossTask: PeriodicTask;
  private startedAtMs = Infinity;

  constructor(
    { turnLostAfterSeconds }: Config,
    private readonly unitOfWork: UnitOfWork,
    private readonly turns: TurnsRepository,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly turnChangePublisher: TurnChangePublisher,
    private readonly shutdownState: ShutdownState,
    private readonly clock: Clock,
  ) {
    this.lostAfterMs = turnLostAfterSeconds * SECOND;
    const intervalMs = Math.min(MAX_CHECK_INTERVAL_MS, this.lostAfterMs / 4);
    this.lossTask = new PeriodicTask('turn loss', intervalMs, () => this.recordLosses());
  }

  onApplicationBootstrap(): void {
    this.startedAtMs = this.clock.monotonicMs();
    this.lossTask.start();
  }

  /** Not earlier: a run must not delay the start of draining. */
  onApplicationShutdown(): Promise<void> {
    return this.lossTask.stop();
  }

  /** Returns true when more turns may be due. */
  private async recordLosses(): Promise<boolean> {
    if (this.clock.monotonicMs() - this.startedAtMs < Math.min(MAX_RECONNECT_MS, this.lostAfterMs)) return false;
    const turns = await this.turns.findAbandoned(this.getCutoff(), BATCH_SIZE);
    for (const turn of turns) {
      if (this.shutdownState.isClosing) return false;
      await this.recordLoss(turn);
    }
    return turns.length === BATCH_SIZE;
  }

  private recordLoss({ account_id: accountId, session_id: sessionId, id }: AbandonedTurn): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
      // The device may have reported or connected, or another instance may have recorded the loss.
      if (!session || !(await this.turns.isAbandoned(sessionId, id, this.getCutoff()))) return;
      const row = await this.turns.find(accountId, sessionId, id);
      if (!row || !isOpenTurnState(row.state)) return;
      const next = {
        ...row,
        state: 'lost' as const,
        version: row.version + 1,
        pending_permissions: 0,
        updated_at: this.clock.currentDate(),
      };
      await this.turns.update(next);
      await this.turnChangePublisher.publishChange(row.state, next, {
        byDeviceId: null,
        hostDeviceId: session.host_device_id,
      });
    });
  }

  private getCutoff(): Date {
    return new Date(this.clock.now() - this.lostAfterMs);
  }
}
