import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../persistence';

@Injectable()
export class InstancesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** True when it had no entry. */
  async sign(id: string): Promise<boolean> {
    const [row] = await this.unitOfWork.query<{ created: boolean }>(
      `INSERT INTO instances (id, seen_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING (xmax = 0) AS created`,
      [id],
    );
    return row!.created;
  }

  /** Its entry stays until it is reaped, with whatever it left. */
  async end(id: string): Promise<void> {
    await this.unitOfWork.query(`UPDATE instances SET seen_at = '-infinity' WHERE id = $1`, [id]);
  }

  async endOthers(id: string): Promise<void> {
    await this.unitOfWork.query(`UPDATE instances SET seen_at = '-infinity' WHERE id <> $1`, [id]);
  }

  async isAlive(id: string, withinMs: number): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `SELECT 1 FROM instances WHERE id = $1 AND seen_at > clock_timestamp() - $2 * interval '1 millisecond'`,
      [id, withinMs],
    );
    return rows.length === 1;
  }

  async reap(self: string, withinMs: number): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      `DELETE FROM instances
        WHERE id <> $1 AND seen_at < clock_timestamp() - $2 * interval '1 millisecond' RETURNING id`,
      [self, withinMs],
    );
    return rows.map(({ id }) => id);
  }
}
