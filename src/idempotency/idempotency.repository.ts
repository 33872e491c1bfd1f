import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../persistence';
import { IdempotencyKeyEntity } from './idempotency-key.entity';

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** True when this call is the first; a record past its time makes room. */
  async claim(record: IdempotencyKeyEntity): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `INSERT INTO idempotency_keys (id, account_id, request_hash, call_id, origin, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash, call_id = excluded.call_id,
         origin = excluded.origin, status = NULL, answer = NULL,
         created_at = excluded.created_at, expires_at = excluded.expires_at
         WHERE idempotency_keys.expires_at <= excluded.created_at
       RETURNING 1`,
      [
        record.id,
        record.accountId,
        record.requestHash,
        record.callId,
        record.origin,
        record.createdAt,
        record.expiresAt,
      ],
    );
    return rows.length === 1;
  }

  find(id: Buffer): Promise<IdempotencyKeyEntity | null> {
    return this.unitOfWork.manager.findOneBy(IdempotencyKeyEntity, { id });
  }

  /** Keeps an answer, unless the record meanwhile belongs to another call. */
  async keep(id: Buffer, callId: string, status: number, answer: Buffer): Promise<void> {
    await this.unitOfWork.manager.update(IdempotencyKeyEntity, { id, callId }, { status, answer });
  }

  async discard(id: Buffer, callId: string): Promise<void> {
    await this.unitOfWork.manager.delete(IdempotencyKeyEntity, { id, callId });
  }
}
