import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';

/**
 * Numbers connections in the order of their handshakes. The sequence is in PostgreSQL, so it survives restarts of
 * Redis.
 */
@Injectable()
export class PresenceEpochRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async allocateEpoch(): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ epoch: string }>(`SELECT nextval('presence_epochs') AS epoch`);
    return Number(row!.epoch);
  }
}
