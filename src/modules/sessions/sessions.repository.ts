import { Injectable } from '@nestjs/common';
import type { SessionContext } from '@external-api/protocol';
import { MINUTE } from '../../common/clock';
import { isWellFormedId } from '../../common/ids';
import type { Page } from '../../common/pages';
import {
  creationOrderKey,
  KeysetPageReader,
  selectEntityColumns,
  streamRows,
  UnitOfWork,
  buildPageSizeColumns,
  type BindParameter,
  type FilterConditions,
  type KeysetListDefinition,
} from '../../core/database';
import type { SessionListRow, SessionRow } from './session.response.dto';
import { SESSION_DEVICE_PROPERTIES, SessionEntity, type SessionActivity } from './session.entity';
import type { ListSessionsQueryDto } from './sessions.dto';

const CONTENT_BYTES_EXPRESSION = 'octet_length(s.sealed_data_key) + coalesce(octet_length(s.metadata), 0)';

/**
 * By how much `updated_at` may lag behind an append. An index contains it, so that only an update which leaves it
 * unchanged is a heap-only one (docs/performance.md#appended-messages).
 */
export const MAX_INDEX_LAG_MS = MINUTE;

const SELECT_SESSION = `SELECT ${selectEntityColumns(SessionEntity, 's')} FROM sessions s`;

/** Columns of a list without content. */
const LIST_COLUMNS = selectEntityColumns(SessionEntity, 's', SESSION_DEVICE_PROPERTIES);

export type NewSession = Omit<
  SessionEntity,
  | 'state'
  | 'version'
  | 'messageCount'
  | 'lastSeq'
  | 'messageBytes'
  | 'eventPosition'
  | 'activity'
  | 'context'
  | 'updatedAt'
  | 'lastActiveAt'
  | 'endedAt'
>;

@Injectable()
export class SessionsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Returns undefined when the account already has a session with this tag. */
  async insert(session: NewSession): Promise<SessionRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<SessionRow>(
      `INSERT INTO sessions (id, account_id, tag, host_device_id, machine_id, data_key_id, sealed_data_key,
                             metadata, own_bytes, message_bytes, created_at, updated_at, last_active_at, agent)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::integer, $9::integer, $10, $10, $10, $11)
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
        session.ownBytes,
        session.createdAt,
        session.agent,
      ],
    );
    return row;
  }

  async find(accountId: string, id: string): Promise<SessionRow | undefined> {
    if (!isWellFormedId('ses', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<SessionRow>(`${SELECT_SESSION} WHERE account_id = $1 AND id = $2`, [
      accountId,
      id,
    ]);
    return row;
  }

  /** Returns the session and locks it until the transaction ends. */
  async lockSession(accountId: string, id: string): Promise<SessionRow | undefined> {
    if (!isWellFormedId('ses', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<SessionRow>(
      `${SELECT_SESSION} WHERE account_id = $1 AND id = $2 FOR UPDATE`,
      [accountId, id],
    );
    return row;
  }

  async findByTag(accountId: string, tag: string): Promise<SessionRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<SessionRow>(`${SELECT_SESSION} WHERE account_id = $1 AND tag = $2`, [
      accountId,
      tag,
    ]);
    return row;
  }

  /** Returns whether the account has a session of an agent, ended ones included. */
  async hasAgentSession(accountId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'SELECT 1 FROM sessions WHERE account_id = $1 AND agent IS NOT NULL LIMIT 1',
      [accountId],
    );
    return rows.length > 0;
  }

  async update(row: SessionRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE sessions SET state = $3, ended_at = $4, metadata = $5, version = $6, updated_at = $7,
              message_bytes = message_bytes + $8::integer - own_bytes, own_bytes = $8::integer, agent = $9
        WHERE account_id = $1 AND id = $2`,
      [
        row.account_id,
        row.id,
        row.state,
        row.ended_at,
        row.metadata,
        row.version,
        row.updated_at,
        row.own_bytes,
        row.agent,
      ],
    );
  }

  /**
   * Adds messages to the counters. The caller must hold the session's lock.
   * @param indexLagMs by how much `updated_at` may lag, at most `MAX_INDEX_LAG_MS`
   */
  async addMessageCounts(
    id: string,
    count: number,
    bytes: number,
    appendedAt: Date,
    indexLagMs: number,
  ): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE sessions SET last_seq = last_seq + $2, message_count = message_count + $2,
              message_bytes = message_bytes + $3, last_active_at = $4,
              updated_at = CASE WHEN updated_at < $5 THEN $4 ELSE updated_at END WHERE id = $1`,
      [id, count, bytes, appendedAt, new Date(appendedAt.getTime() - indexLagMs)],
    );
  }

  /** Adds the bytes of a record of the session to those that its deletion releases. Requires the session's lock. */
  async addRecordBytes(id: string, bytes: number): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE sessions SET message_bytes = message_bytes + $2 WHERE id = $1', [
      id,
      bytes,
    ]);
  }

  /** Leaves a session with this activity unchanged. The caller must hold the session's lock. */
  async updateActivity(id: string, activity: SessionActivity, changedAt: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      'UPDATE sessions SET activity = $2, updated_at = $3 WHERE id = $1 AND activity <> $2',
      [id, activity, changedAt],
    );
  }

  /** The caller must hold the session's lock. */
  async updateContext(id: string, context: SessionContext, changedAt: Date): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE sessions SET context = $2, updated_at = $3 WHERE id = $1', [
      id,
      context,
      changedAt,
    ]);
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(SessionEntity, { id });
  }

  scanByAccount(accountId: string): AsyncGenerator<SessionRow> {
    return streamRows(this.unitOfWork, 'SELECT s.* FROM sessions s WHERE s.account_id = $1', 's', accountId);
  }

  findPage(accountId: string, query: ListSessionsQueryDto): Promise<Page<SessionListRow>> {
    return this.pager.readPage<SessionListRow>(buildSessionList(accountId, null, LIST_COLUMNS), query);
  }

  /** Lists sessions with metadata, for devices. @param hostDeviceId host to filter by; null for all sessions */
  findPageWithContent(
    accountId: string,
    hostDeviceId: string | null,
    query: ListSessionsQueryDto,
  ): Promise<Page<SessionRow>> {
    const keysetList = buildSessionList(
      accountId,
      hostDeviceId,
      `${selectEntityColumns(SessionEntity, 's')}, ${buildPageSizeColumns(CONTENT_BYTES_EXPRESSION)}`,
    );
    return this.pager.readPage<SessionRow>({ ...keysetList, isSizeLimited: true }, query);
  }
}

function buildSessionList(
  accountId: string,
  hostDeviceId: string | null,
  columns: string,
): KeysetListDefinition<SessionListRow> {
  return {
    name: 'sessions',
    ownerId: hostDeviceId ?? accountId,
    select: `SELECT ${columns} FROM sessions s`,
    key: creationOrderKey('s'),
    where: (_, bind) => [
      `s.account_id = ${bind(accountId)}`,
      ...(hostDeviceId ? [`s.host_device_id = ${bind(hostDeviceId)}`] : []),
    ],
    filterConditions: SESSION_FILTER_CONDITIONS,
  };
}

const bindTime = (value: string | number, bind: BindParameter) => `${bind(new Date(value))}::timestamptz`;

const SESSION_FILTER_CONDITIONS: FilterConditions = {
  state: (value, bind) => `s.state = ${bind(value)}`,
  machineId: (value, bind) => `s.machine_id = ${bind(value)}`,
  tag: (value, bind) => `s.tag = ${bind(value)}`,
  createdSince: (value, bind) => `s.created_at >= ${bindTime(value, bind)}`,
  createdUntil: (value, bind) => `s.created_at < ${bindTime(value, bind)}`,
  // The first condition reads the index, whose times may lag.
  updatedSince: (value, bind) =>
    `s.updated_at >= ${bindTime(new Date(value).getTime() - MAX_INDEX_LAG_MS, bind)}
       AND greatest(s.updated_at, s.last_active_at) >= ${bindTime(value, bind)}`,
};
