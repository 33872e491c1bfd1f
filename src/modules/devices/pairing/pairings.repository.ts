import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import { PairingEntity } from './pairing.entity';

@Injectable()
export class PairingsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns false when another pairing uses the code. */
  insert(pairing: PairingEntity): Promise<boolean> {
    return this.unitOfWork.insertOrIgnore(PairingEntity, pairing);
  }

  find(id: string): Promise<PairingEntity | null> {
    return this.unitOfWork.manager.findOneBy(PairingEntity, { id });
  }

  /** Finds a pairing that is pending and has not expired. */
  findPending(code: string, now: Date): Promise<PairingEntity | null> {
    return this.queryPendingByCode(code, now).getOne();
  }

  /** Like `findPending`, and locks the pairing until the transaction ends. */
  lockPending(code: string, now: Date): Promise<PairingEntity | null> {
    return this.queryPendingByCode(code, now).setLock('pessimistic_write').getOne();
  }

  async deleteByAccount(accountId: string): Promise<void> {
    await this.unitOfWork.manager.delete(PairingEntity, { accountId });
  }

  async setDecision(id: string, accountId: string, state: 'approved' | 'denied'): Promise<void> {
    await this.unitOfWork.manager.update(PairingEntity, { id }, { state, accountId });
  }

  private queryPendingByCode(code: string, now: Date) {
    return this.unitOfWork.manager
      .createQueryBuilder(PairingEntity, 'p')
      .where('p.code = :code', { code })
      .andWhere(`p.state = 'pending'`)
      .andWhere('p.expiresAt > :now', { now });
  }
}
