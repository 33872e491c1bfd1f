import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';

/** Numbers connections in the order of their handshakes; PostgreSQL's sequence outlives every restart of Redis. */
@Injectable()
export class PresenceEpochs {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async next(): Promise<number> {
    const [row] = await this.unitOfWork.query<{ epoch: string }>(`SELECT nextval('presence_epochs') AS epoch`);
    return Number(row!.epoch);
  }
}
