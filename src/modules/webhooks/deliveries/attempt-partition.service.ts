import { Injectable } from '@nestjs/common';
import { Clock, DAY } from '../../../common/clock';
import { Config } from '../../../core/config';
import { DailyPartitionService, UnitOfWork } from '../../../core/database';

/** Maintains the daily partitions of the attempt log. */
@Injectable()
export class AttemptPartitionService extends DailyPartitionService {
  protected readonly parentTable = 'webhook_attempts';
  protected readonly retentionMs: number;

  constructor(unitOfWork: UnitOfWork, clock: Clock, config: Config) {
    super(unitOfWork, clock);
    this.retentionMs = config.retentionDays.deliveries * DAY;
  }
}
