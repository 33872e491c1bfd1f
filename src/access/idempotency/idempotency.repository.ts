import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';
import { IdempotencyKeyEntity } from './idempotency-key.entity';

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns true if this call is the first one with its key. Replaces an expired record. */
  async claimKey(record: IdempotencyKeyEntity): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
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

  /** Stores a response, unless the record belongs to another call by now. */
  async storeResponse(id: Buffer, callId: string, status: number, sealed: Buffer | null): Promise<void> {
    await this.unitOfWork.manager.update(IdempotencyKeyEntity, { id, callId }, { status, answer: sealed });
  }

  async deleteRecord(id: Buffer, callId: string): Promise<void> {
    await this.unitOfWork.manager.delete(IdempotencyKeyEntity, { id, callId });
  }
}
