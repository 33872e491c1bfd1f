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
       SELECT * FROM json_to_recordset($1) AS a("webhookId" text, "deliveryId" text, attempt integer, at timestamptz,
         status integer, "durationMs" integer, error text, response text)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(attempts)],
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
