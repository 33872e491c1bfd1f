import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { DailyPartitionService, UnitOfWork } from '../../../core/database';

/** Maintains the daily partitions of the attempt log. */
@Injectable()
export class AttemptPartitionService extends DailyPartitionService {
  protected readonly parentTable = 'webhook_attempts';
  protected readonly retentionDays = 30;

  constructor(unitOfWork: UnitOfWork, clock: Clock) {
    super(unitOfWork, clock);
  }
}
