import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import type { AttemptEntity } from './attempt.entity';
import type { AttemptRow } from './delivery.response.dto';

@Injectable()
export class AttemptsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(attempts: readonly AttemptEntity[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO webhook_attempts (webhook_id, delivery_id, attempt, at, status, duration_ms, error, response,
                                     response_headers)
       SELECT * FROM json_to_recordset($1) AS a("webhookId" text, "deliveryId" text, attempt integer, at timestamptz,
         status integer, "durationMs" integer, error text, response text, "responseHeaders" jsonb)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(attempts)],
    );
  }

  /** Returns the attempts of a delivery, oldest first. */
  findByDelivery(webhookId: string, deliveryId: string): Promise<AttemptRow[]> {
    return this.unitOfWork.queryRows<AttemptRow>(
      `SELECT at, status, duration_ms, error, response, response_headers FROM webhook_attempts
        WHERE webhook_id = $1 AND delivery_id = $2 ORDER BY attempt, at`,
      [webhookId, deliveryId],
    );
  }
}
