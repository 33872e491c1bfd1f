import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database';

@Injectable()
export class InstancesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns true if the instance had no row. */
  async recordHeartbeat(id: string): Promise<boolean> {
    const [row] = await this.unitOfWork.queryRows<{ created: boolean }>(
      `INSERT INTO instances (id, seen_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING (xmax = 0) AS created`,
      [id],
    );
    return row!.created;
  }

  /** Marks the instance as dead. Another instance deletes its row later, together with its presence and calls. */
  async markStopped(id: string): Promise<void> {
    await this.unitOfWork.queryRows(`UPDATE instances SET seen_at = '-infinity' WHERE id = $1`, [id]);
  }

  async markOthersStopped(id: string): Promise<void> {
    await this.unitOfWork.queryRows(`UPDATE instances SET seen_at = '-infinity' WHERE id <> $1`, [id]);
  }

  async isAlive(id: string, withinMs: number): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM instances WHERE id = $1 AND seen_at > clock_timestamp() - $2 * interval '1 millisecond'`,
      [id, withinMs],
    );
    return rows.length === 1;
  }

  async deleteDeadInstances(ownInstanceId: string, withinMs: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `DELETE FROM instances
        WHERE id <> $1 AND seen_at < clock_timestamp() - $2 * interval '1 millisecond' RETURNING id`,
      [ownInstanceId, withinMs],
    );
    return rows.map(({ id }) => id);
  }
}
