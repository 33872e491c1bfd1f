import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import type { AttemptEntity } from './attempt.entity';
import type { AttemptRow } from './delivery.response.dto';
import type { AttemptSearch, AttemptSummaryRow } from './attempt-summary';

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

  /**
   * Sums up the newest attempts of a webhook, in all (`slot` is null) and by slot, counted from the Unix epoch. Reads
   * at most `limit` attempts, those of the newest deliveries first: the primary key has their order, so that a busy
   * webhook costs no more. Attempts that sent nothing don't count, and those without a response have no time.
   */
  summarize(webhookId: string, { from, slotMs }: AttemptSearch, limit: number): Promise<AttemptSummaryRow[]> {
    const percentile = (fraction: number) =>
      `percentile_disc(${fraction}) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE status IS NOT NULL)`;
    return this.unitOfWork.queryRows<AttemptSummaryRow>(
      `SELECT slot, count(*) AS attempts,
              count(*) FILTER (WHERE error IS NULL AND status BETWEEN 200 AND 299) AS succeeded,
              ${percentile(0.5)} AS median_ms, ${percentile(0.95)} AS slow_ms
         FROM (SELECT (extract(epoch FROM at) * 1000)::bigint / $3 AS slot, status, duration_ms, error
                 FROM webhook_attempts
                WHERE webhook_id = $1 AND at >= $2 AND error IS DISTINCT FROM 'secret_unreadable'
                ORDER BY delivery_id DESC, attempt DESC LIMIT $4) AS a
        GROUP BY GROUPING SETS ((slot), ()) ORDER BY slot`,
      [webhookId, new Date(from), slotMs, limit],
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
