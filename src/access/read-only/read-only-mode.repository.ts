import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';

const MODE = 'read_only';

@Injectable()
export class ReadOnlyModeRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns when read-only mode was switched on, and null while it is off. */
  async findStart(): Promise<Date | null> {
    const [row] = await this.unitOfWork.queryRows<{ started_at: Date }>(
      'SELECT started_at FROM service_modes WHERE name = $1',
      [MODE],
    );
    return row?.started_at ?? null;
  }

  /** Returns false if it was on before. */
  async insertMode(startedAt: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'INSERT INTO service_modes (name, started_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING 1',
      [MODE, startedAt],
    );
    return rows.length === 1;
  }

  /** Returns false if it was off before. */
  async deleteMode(): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows('DELETE FROM service_modes WHERE name = $1 RETURNING 1', [MODE]);
    return rows.length === 1;
  }
}
