import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import { DeviceLossService } from '../devices';
import { SessionActivityRecorder } from '../sessions';
import { isOpenTurnState } from './turn-transitions';
import { TurnChangePublisher } from './turn-change-publisher';
import type { TurnRow } from './turn.response.dto';
import { TurnsRepository, type AbandonedTurn } from './turns.repository';

/**
 * Records open turns as lost whose device has been away for too long. The lock of the session and a second check decide
 * which instance writes.
 */
@Injectable()
export class TurnLossRecorder implements OnModuleInit {
  constructor(
    private readonly deviceLossService: DeviceLossService,
    private readonly unitOfWork: UnitOfWork,
    private readonly turns: TurnsRepository,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly turnChangePublisher: TurnChangePublisher,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.deviceLossService.registerRecords<AbandonedTurn>({
      name: 'turn loss',
      findAbandoned: (cutoff, limit) => this.turns.findAbandoned(cutoff, limit),
      recordLoss: (turn, cutoff) => this.recordLoss(turn, cutoff),
    });
  }

  private recordLoss({ account_id: accountId, session_id: sessionId, id }: AbandonedTurn, cutoff: Date): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
      // The device may have reported or connected, or another instance may have recorded the loss.
      if (!session || !(await this.turns.isAbandoned(sessionId, id, cutoff))) return;
      const row = await this.turns.find(accountId, sessionId, id);
      if (!row || !isOpenTurnState(row.state)) return;
      const next = toLostTurn(row, this.clock.currentDate());
      await this.turns.update(next);
      await this.turnChangePublisher.publishChange(row.state, next, {
        byDeviceId: null,
        hostDeviceId: session.host_device_id,
      });
    });
  }
}

/** Returns the turn after its loss. Nobody can decide on its permission requests until its device reports it again. */
function toLostTurn(row: TurnRow, now: Date): TurnRow {
  return {
    ...row,
    state: 'lost',
    version: row.version + 1,
    pending_permissions: 0,
    updated_at: now,
  };
}
