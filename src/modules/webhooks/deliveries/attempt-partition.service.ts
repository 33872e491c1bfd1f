import { Injectable } from '@nestjs/common';
import { Clock, DAY } from '../../../common/clock';
import { DailyPartitionService, UnitOfWork } from '../../../core/database';

/** Maintains the daily partitions of the attempt log. */
@Injectable()
export class AttemptPartitionService extends DailyPartitionService {
  protected readonly parentTable = 'webhook_attempts';
  protected readonly retentionMs = 30 * DAY;

  constructor(unitOfWork: UnitOfWork, clock: Clock) {
    super(unitOfWork, clock);
  }
}
