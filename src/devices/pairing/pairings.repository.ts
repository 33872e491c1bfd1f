import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';
import { PairingEntity } from './pairing.entity';

@Injectable()
export class PairingsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** False when the code is in use by another pairing. */
  async insert(pairing: PairingEntity): Promise<boolean> {
    const result = await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(PairingEntity)
      .values(pairing)
      .orIgnore()
      .returning('id')
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  find(id: string): Promise<PairingEntity | null> {
    return this.unitOfWork.manager.findOneBy(PairingEntity, { id });
  }

  /** Only one that still waits for a decision. */
  findOpen(code: string, now: Date): Promise<PairingEntity | null> {
    return this.openByCode(code, now).getOne();
  }

  /** As `findOpen`; nobody else decides it until the transaction ends. */
  lockOpen(code: string, now: Date): Promise<PairingEntity | null> {
    return this.openByCode(code, now).setLock('pessimistic_write').getOne();
  }

  async decide(id: string, accountId: string, state: 'approved' | 'denied'): Promise<void> {
    await this.unitOfWork.manager.update(PairingEntity, { id }, { state, accountId });
  }

  private openByCode(code: string, now: Date) {
    return this.unitOfWork.manager
      .createQueryBuilder(PairingEntity, 'p')
      .where('p.code = :code', { code })
      .andWhere(`p.state = 'pending'`)
      .andWhere('p.expiresAt > :now', { now });
  }
}
