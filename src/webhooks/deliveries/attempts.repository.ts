import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';
import type { AttemptEntity } from './attempt.entity';
import type { AttemptRow } from './delivery-record';

@Injectable()
export class AttemptsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(attempts: readonly AttemptEntity[]): Promise<void> {
    await this.unitOfWork.query(
      `INSERT INTO webhook_attempts (webhook_id, delivery_id, attempt, at, status, duration_ms, error, response)
       SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::timestamptz[], $5::integer[], $6::integer[],
                            $7::text[], $8::text[])
       ON CONFLICT DO NOTHING`,
      [
        attempts.map((row) => row.webhookId),
        attempts.map((row) => row.deliveryId),
        attempts.map((row) => row.attempt),
        attempts.map((row) => row.at),
        attempts.map((row) => row.status),
        attempts.map((row) => row.durationMs),
        attempts.map((row) => row.error),
        attempts.map((row) => row.response),
      ],
    );
  }

  /** The log of one delivery, oldest first. */
  ofDelivery(webhookId: string, deliveryId: string): Promise<AttemptRow[]> {
    return this.unitOfWork.query<AttemptRow>(
      `SELECT at, status, duration_ms, error, response FROM webhook_attempts
        WHERE webhook_id = $1 AND delivery_id = $2 ORDER BY attempt, at`,
      [webhookId, deliveryId],
    );
  }
}
