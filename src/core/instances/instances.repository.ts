import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database';

/**
 * Generation of the tables that this release reads and writes. Raise it with a release that replaces columns which the
 * release before still reads. Instances of releases that don't know generations have 0.
 */
const TABLE_GENERATION = 1;

/** State of the registry at a heartbeat. */
export interface HeartbeatResult {
  /** Whether the instance had no row. */
  created: boolean;
  /** Whether an instance lives that reads the columns of an older generation. */
  olderRunning: boolean;
}

@Injectable()
export class InstancesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param withinMs time without a heartbeat after which another instance counts as dead */
  async recordHeartbeat(id: string, withinMs: number): Promise<HeartbeatResult> {
    const [row] = await this.unitOfWork.queryRows<HeartbeatResult>(
      `INSERT INTO instances (id, seen_at, generation) VALUES ($1, clock_timestamp(), $2)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
       RETURNING (xmax = 0) AS created,
         EXISTS (SELECT 1 FROM instances
                  WHERE generation < $2 AND seen_at > clock_timestamp() - $3 * interval '1 millisecond')
           AS "olderRunning"`,
      [id, TABLE_GENERATION, withinMs],
    );
    return row!;
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

  /** Returns true for one of the callers in each interval, by the clock of PostgreSQL. */
  async claimRun(task: string, intervalMs: number): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `INSERT INTO task_turns (task, next_at) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
       ON CONFLICT (task) DO UPDATE SET next_at = excluded.next_at
         WHERE task_turns.next_at <= clock_timestamp()
            OR task_turns.next_at > clock_timestamp() + $2 * interval '1 millisecond'
       RETURNING 1`,
      [task, intervalMs],
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
