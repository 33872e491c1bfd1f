import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';
import { LanesRepository } from './lanes.repository';

const BATCH = 100;

/** Mends what else would stay as it is: a lane whose next time is not what its deliveries say. */
@Injectable()
export class Sweep {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lanes: LanesRepository,
  ) {}

  /** True when there may be more. */
  async run(): Promise<boolean> {
    const ids = await this.lanes.outOfStep(BATCH);
    if (ids.length === 0) return false;
    await this.unitOfWork.run(async () => {
      await this.lanes.lock(ids);
      await this.lanes.refreshDue(ids);
    });
    return ids.length === BATCH;
  }
}
