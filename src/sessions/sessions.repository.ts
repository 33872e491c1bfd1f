import { Injectable } from '@nestjs/common';
import { isId } from '../common/ids';
import type { Page } from '../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork, type Bind, type Filters } from '../persistence';
import type { SessionRow } from './session-record';
import { SessionEntity } from './session.entity';
import type { SessionQuery } from './sessions.dto';

export type NewSession = Omit<
  SessionEntity,
  'state' | 'version' | 'messageCount' | 'lastSeq' | 'messageBytes' | 'updatedAt' | 'lastActiveAt' | 'endedAt'
>;

@Injectable()
export class SessionsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  /** Undefined when the account has a session of this tag already. */
  async insert(session: NewSession): Promise<SessionRow | undefined> {
    const [row] = await this.unitOfWork.query<SessionRow>(
      `INSERT INTO sessions (id, account_id, tag, host_device_id, machine_id, data_key_id, sealed_data_key,
                             metadata, created_at, updated_at, last_active_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9)
       ON CONFLICT ON CONSTRAINT sessions_tag_key DO NOTHING RETURNING *`,
      [
        session.id,
        session.accountId,
        session.tag,
        session.hostDeviceId,
        session.machineId,
        session.dataKeyId,
        session.sealedDataKey,
        session.metadata,
        session.createdAt,
      ],
    );
    return row;
  }

  async find(accountId: string, id: string): Promise<SessionRow | undefined> {
    if (!isId('ses', id)) return undefined;
    const [row] = await this.unitOfWork.query<SessionRow>('SELECT * FROM sessions WHERE account_id = $1 AND id = $2', [
      accountId,
      id,
    ]);
    return row;
  }

  /** As `find`; nobody else changes it until the transaction ends. */
  async lock(accountId: string, id: string): Promise<SessionRow | undefined> {
    if (!isId('ses', id)) return undefined;
    const [row] = await this.unitOfWork.query<SessionRow>(
      'SELECT * FROM sessions WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [accountId, id],
    );
    return row;
  }

  async findByTag(accountId: string, tag: string): Promise<SessionRow | undefined> {
    const [row] = await this.unitOfWork.query<SessionRow>('SELECT * FROM sessions WHERE account_id = $1 AND tag = $2', [
      accountId,
      tag,
    ]);
    return row;
  }

  async update(row: SessionRow): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE sessions SET state = $3, ended_at = $4, metadata = $5, version = $6, updated_at = $7
        WHERE account_id = $1 AND id = $2`,
      [row.account_id, row.id, row.state, row.ended_at, row.metadata, row.version, row.updated_at],
    );
  }

  /** Counts messages in, under the session's lock. */
  async append(id: string, count: number, bytes: number, at: Date): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE sessions SET last_seq = last_seq + $2, message_count = message_count + $2,
              message_bytes = message_bytes + $3, last_active_at = $4, updated_at = $4 WHERE id = $1`,
      [id, count, bytes, at],
    );
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(SessionEntity, { id });
  }

  scan(accountId: string): AsyncGenerator<SessionRow> {
    return scan(this.unitOfWork, 'SELECT s.* FROM sessions s WHERE s.account_id = $1', 's', accountId);
  }

  /** @param hostDeviceId only sessions that this device hosts; null: all of the account */
  page(accountId: string, hostDeviceId: string | null, query: SessionQuery): Promise<Page<SessionRow>> {
    return this.pager.page<SessionRow>(
      {
        name: 'sessions',
        owner: hostDeviceId ?? accountId,
        select: 'SELECT s.* FROM sessions s',
        key: byCreation('s'),
        where: (filters, bind) => [
          `s.account_id = ${bind(accountId)}`,
          ...(hostDeviceId ? [`s.host_device_id = ${bind(hostDeviceId)}`] : []),
          ...conditions(filters, bind),
        ],
      },
      query,
    );
  }
}

function conditions(filters: Filters, bind: Bind): string[] {
  const time = (value: string | number) => `${bind(new Date(value))}::timestamptz`;
  const all: Record<string, (value: string | number) => string> = {
    state: (value) => `s.state = ${bind(value)}`,
    machineId: (value) => `s.machine_id = ${bind(value)}`,
    tag: (value) => `s.tag = ${bind(value)}`,
    createdSince: (value) => `s.created_at >= ${time(value)}`,
    createdUntil: (value) => `s.created_at < ${time(value)}`,
    updatedSince: (value) => `s.updated_at >= ${time(value)}`,
  };
  return Object.entries(filters).map(([name, value]) => all[name]!(value));
}
