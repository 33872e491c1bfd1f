import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import { EventBacklogRepository } from '../dispatch/event-backlog.repository';

const BATCH_SIZE = 1_000;

/**
 * Deletes the deliveries, attempts and backlogs of deleted webhooks in batches. Deleting them with the webhook would
 * lock its endpoint queue for as long as there are deliveries, and would block writers of several queues
 * (docs/decisions/0019).
 */
@Injectable()
export class DeletedWebhookCleanup {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly backlog: EventBacklogRepository,
  ) {}

  /** Deletes a batch of one webhook's rows. Instances may run it concurrently. Returns true when there may be more. */
  async deleteBatch(): Promise<boolean> {
    const [oldest] = await this.unitOfWork.queryRows<{ webhook_id: string }>(
      'SELECT webhook_id FROM webhook_cleanup_queue ORDER BY deleted_at LIMIT 1',
    );
    if (!oldest) return false;
    const webhookId = oldest.webhook_id;
    const deliveries = await this.deleteRows('webhook_deliveries', webhookId);
    const attempts = await this.deleteRows('webhook_attempts', webhookId);
    const entries = await this.unitOfWork.runInTransaction(() => this.backlog.deleteEntries(webhookId, BATCH_SIZE));
    if (deliveries + attempts + entries > 0) return true;
    return this.removeFromQueue(webhookId);
  }

  private async deleteRows(table: string, webhookId: string): Promise<number> {
    // A ctid is unique within a partition only.
    const rows = await this.unitOfWork.queryRows(
      `DELETE FROM ${table} WHERE (tableoid, ctid) IN (
         SELECT tableoid, ctid FROM ${table} WHERE webhook_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1`,
      [webhookId, BATCH_SIZE],
    );
    return rows.length;
  }

  /** Skips while another instance is deleting the last batch, which may still be rolled back. */
  private async removeFromQueue(webhookId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `DELETE FROM webhook_cleanup_queue WHERE webhook_id = $1
          AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1)
          AND NOT EXISTS (SELECT 1 FROM webhook_attempts WHERE webhook_id = $1)
          AND NOT EXISTS (SELECT 1 FROM webhook_backlog_entries WHERE webhook_id = $1)
        RETURNING 1`,
      [webhookId],
    );
    return rows.length === 1;
  }
}
