import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import { EndpointQueuesRepository } from './endpoint-queues.repository';

const RECONCILE_BATCH_SIZE = 100;

/** Repairs endpoint queues whose due time doesn't match their deliveries. */
@Injectable()
export class QueueReconciler {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly endpointQueues: EndpointQueuesRepository,
  ) {}

  /** Returns true when there may be more. */
  async reconcileBatch(): Promise<boolean> {
    const ids = await this.endpointQueues.findStaleQueues(RECONCILE_BATCH_SIZE);
    if (ids.length === 0) return false;
    await this.unitOfWork.runInTransaction(async () => {
      await this.endpointQueues.lockEndpointQueues(ids);
      await this.endpointQueues.refreshDueTimes(ids);
    });
    return ids.length === RECONCILE_BATCH_SIZE;
  }
}
