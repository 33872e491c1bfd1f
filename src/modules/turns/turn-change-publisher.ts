import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { TurnState } from '@external-api/protocol';
import { UnitOfWork } from '../../core/database';
import { EventPublisher } from '../../core/events';
import { ChangeSignals } from '../../core/redis';
import { SessionActivityRecorder } from '../sessions';
import { toTurnDto, type TurnRow } from './turn.response.dto';
import { deriveActivity, selectTurnEvent } from './turn-transitions';
import { buildTurnKey } from './turn-wait-rules';
import { TurnsRepository } from './turns.repository';

/** Publishes a stored change of a turn: to callers that wait, to its session's activity, and as an event. */
@Injectable()
export class TurnChangePublisher {
  private readonly endedCounter: Counter;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly changeSignals: ChangeSignals,
    private readonly turns: TurnsRepository,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly eventPublisher: EventPublisher,
    registry: Registry,
  ) {
    this.endedCounter = new Counter({
      name: 'turns_ended_total',
      help: 'Turns that ended, by state',
      labelNames: ['state'],
      registers: [registry],
    });
  }

  /**
   * Requires the transaction of the change and the session's lock.
   * @param previous null for a new turn
   * @param byDeviceId null if the service made the change
   */
  async publishChange(
    previous: TurnState | null,
    row: TurnRow,
    { byDeviceId, hostDeviceId }: { byDeviceId: string | null; hostDeviceId: string | null },
  ): Promise<void> {
    this.unitOfWork.afterCommit(() => this.changeSignals.sendSignal(buildTurnKey(row.session_id, row.id)));
    const activity = deriveActivity(await this.turns.findOpenStates(row.session_id));
    await this.sessionActivityRecorder.recordActivity(row.session_id, activity, row.updated_at);
    const type = selectTurnEvent(previous, row.state);
    if (!type) return;
    if (type === 'turn.ended') this.unitOfWork.afterCommit(() => this.endedCounter.inc({ state: row.state }));
    this.eventPublisher.recordChange({
      type,
      accountId: row.account_id,
      id: row.session_id,
      byDeviceId,
      hostDeviceId,
      data: toTurnDto(row),
    });
  }
}
