import { Injectable } from '@nestjs/common';
import { isId } from '../../common/ids';
import { UnitOfWork } from '../../persistence';
import { RelayCallEntity } from './relay-call.entity';

@Injectable()
export class RelayCallsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Inserts, or replaces what an earlier stage of the same call wrote. */
  async save(rows: RelayCallEntity[]): Promise<void> {
    await this.unitOfWork.manager.upsert(RelayCallEntity, rows, ['requestId']);
  }

  async find(accountId: string, requestId: string): Promise<RelayCallEntity | null> {
    if (!isId('req', requestId)) return null;
    return this.unitOfWork.manager.findOneBy(RelayCallEntity, { accountId, requestId });
  }

  async remove(requestId: string): Promise<void> {
    await this.unitOfWork.manager.delete(RelayCallEntity, { requestId });
  }
}
