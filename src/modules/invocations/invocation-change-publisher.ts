import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { InvocationState } from '@external-api/protocol';
import { UnitOfWork } from '../../core/database';
import { EventPublisher } from '../../core/events';
import { ChangeSignals } from '../../core/redis';
import { toInvocationDto, type InvocationRow } from './invocation.response.dto';
import { isEndOfInvocation } from './invocation-transitions';

/** Publishes a stored change of an invocation: to callers that wait, and as an event. */
@Injectable()
export class InvocationChangePublisher {
  private readonly endedCounter: Counter;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly changeSignals: ChangeSignals,
    private readonly eventPublisher: EventPublisher,
    registry: Registry,
  ) {
    this.endedCounter = new Counter({
      name: 'invocations_ended_total',
      help: 'Invocations that ended, by state',
      labelNames: ['state'],
      registers: [registry],
    });
  }

  /**
   * Requires the transaction of the change.
   * @param byDeviceId null if the service made the change
   */
  publishChange(previous: InvocationState, row: InvocationRow, byDeviceId: string | null): void {
    this.signalChange(row.id);
    if (!isEndOfInvocation(previous, row.state)) return;
    this.unitOfWork.afterCommit(() => this.endedCounter.inc({ state: row.state }));
    this.eventPublisher.recordChange({
      type: 'invocation.ended',
      accountId: row.account_id,
      id: row.machine_id,
      byDeviceId,
      hostDeviceId: row.device_id,
      data: toInvocationDto(row),
    });
  }

  /** Lets callers that wait read the invocation again, once the transaction has committed. */
  signalChange(id: string): void {
    this.unitOfWork.afterCommit(() => this.changeSignals.sendSignal(id));
  }
}
