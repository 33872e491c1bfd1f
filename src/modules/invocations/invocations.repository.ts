import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../common/ids';
import type { Page } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, selectEntityColumns, streamRows, UnitOfWork } from '../../core/database';
import { InvocationEntity } from './invocation.entity';
import type { InvocationRow } from './invocation.response.dto';
import type { InvocationProgress } from './invocation-transitions';
import type { ListInvocationsQueryDto } from './invocations.dto';

const SELECT_INVOCATIONS = `SELECT ${selectEntityColumns(InvocationEntity, 'i')} FROM invocations i`;

/**
 * A report is a sign of life too: a device may report without a socket. An invocation that nobody has reported may
 * never have reached its device, which is then online and silent.
 */
const ABANDONED_INVOCATIONS = `
  SELECT i.id FROM invocations i JOIN devices d ON d.id = i.device_id
         LEFT JOIN device_presence p ON p.device_id = d.id
   WHERE i.state IN ('starting', 'running') AND i.updated_at <= $1
     AND (i.state = 'starting' OR p.online IS NOT TRUE
          AND coalesce(greatest(d.last_seen_at, p.changed_at), i.updated_at) <= $1)`;

@Injectable()
export class InvocationsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  async find(accountId: string, machineId: string, id: string): Promise<InvocationRow | undefined> {
    if (!isWellFormedId('mch', machineId) || !isWellFormedId('inv', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<InvocationRow>(
      `${SELECT_INVOCATIONS} WHERE account_id = $1 AND machine_id = $2 AND id = $3`,
      [accountId, machineId, id],
    );
    return row;
  }

  /** Locks an invocation until the transaction ends, which serializes its changes. */
  async lock(id: string): Promise<InvocationRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<InvocationRow>(`${SELECT_INVOCATIONS} WHERE id = $1 FOR UPDATE`, [
      id,
    ]);
    return row;
  }

  /** Returns the state and version of invocations by their id, without those that no longer exist. */
  async findProgress(ids: readonly string[]): Promise<ReadonlyMap<string, InvocationProgress>> {
    const rows = await this.unitOfWork.queryRows<InvocationProgress & { id: string }>(
      'SELECT id, state, version FROM invocations WHERE id = ANY($1)',
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  async insert(invocation: InvocationEntity): Promise<void> {
    await this.unitOfWork.manager.insert(InvocationEntity, invocation);
  }

  /** Stores everything that a change of state changes. The caller must hold the row's lock. */
  async update(row: InvocationRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE invocations
          SET revision = $2, version = $3, state = $4, error_code = $5, exit_code = $6, signal = $7, timed_out = $8,
              stdout_bytes = $9, stderr_bytes = $10, started_at = $11, ended_at = $12, updated_at = $13
        WHERE id = $1`,
      [
        row.id,
        row.revision,
        row.version,
        row.state,
        row.error_code,
        row.exit_code,
        row.signal,
        row.timed_out,
        row.stdout_bytes,
        row.stderr_bytes,
        row.started_at,
        row.ended_at,
        row.updated_at,
      ],
    );
  }

  /** Deletes an invocation that its device has never reported. */
  async deleteUnreported(id: string): Promise<void> {
    await this.unitOfWork.queryRows(`DELETE FROM invocations WHERE id = $1 AND revision = 0 AND state = 'starting'`, [
      id,
    ]);
  }

  /** Returns the ids of open invocations whose device has been away, or which it has not reported, since `cutoff`. */
  async findAbandoned(cutoff: Date, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(`${ABANDONED_INVOCATIONS} LIMIT $2`, [cutoff, limit]);
    return rows.map(({ id }) => id);
  }

  async isAbandoned(id: string, cutoff: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(`${ABANDONED_INVOCATIONS} AND i.id = $2`, [cutoff, id]);
    return rows.length === 1;
  }

  scanByAccount(accountId: string): AsyncGenerator<InvocationRow> {
    const sql = 'SELECT i.* FROM invocations i WHERE i.account_id = $1';
    return streamRows(this.unitOfWork, sql, 'i', accountId, { key: ['id'] });
  }

  findPage(machineId: string, query: ListInvocationsQueryDto): Promise<Page<InvocationRow>> {
    return this.pager.readPage<InvocationRow>(
      {
        name: 'invocations',
        ownerId: machineId,
        select: SELECT_INVOCATIONS,
        key: creationOrderKey('i'),
        where: (_, bind) => [`i.machine_id = ${bind(machineId)}`],
        filterConditions: { state: (value, bind) => `i.state = ${bind(value)}` },
      },
      query,
    );
  }
}
