import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';

const PORTION = 1_000;

/**
 * Clears away what webhooks leave behind that were deleted. Deleting one may not take as long as its deliveries are many:
 * it holds its lane, and whoever writes for several lanes waits for that (docs/decisions/0019).
 */
@Injectable()
export class Remains {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** A portion of one webhook's. Any number of instances may do so at once. True when there may be more. */
  async clear(): Promise<boolean> {
    const [oldest] = await this.unitOfWork.query<{ webhook_id: string }>(
      'SELECT webhook_id FROM webhook_remains ORDER BY deleted_at LIMIT 1',
    );
    if (!oldest) return false;
    const webhookId = oldest.webhook_id;
    const deliveries = await this.portion('webhook_deliveries', webhookId);
    const attempts = await this.portion('webhook_attempts', webhookId);
    if (deliveries + attempts > 0) return true;
    return this.forget(webhookId);
  }

  private async portion(table: string, webhookId: string): Promise<number> {
    // By partition and place: a place alone is not unique over partitions.
    const rows = await this.unitOfWork.query(
      `DELETE FROM ${table} WHERE (tableoid, ctid) IN (
         SELECT tableoid, ctid FROM ${table} WHERE webhook_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1`,
      [webhookId, PORTION],
    );
    return rows.length;
  }

  /** Not while another instance still has the last portion in hand: that may be rolled back. */
  private async forget(webhookId: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `DELETE FROM webhook_remains WHERE webhook_id = $1
          AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1)
          AND NOT EXISTS (SELECT 1 FROM webhook_attempts WHERE webhook_id = $1)
        RETURNING 1`,
      [webhookId],
    );
    return rows.length === 1;
  }
}
