import { Injectable } from '@nestjs/common';
import type { TurnState } from '@external-api/protocol';
import { isWellFormedId } from '../../common/ids';
import type { Page } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, selectEntityColumns, streamRows, UnitOfWork } from '../../core/database';
import { TurnEntity } from './turn.entity';
import type { TurnRow } from './turn.response.dto';
import { buildTurnKey, type TurnProgress } from './turn-wait-rules';
import { OPEN_TURN_STATES } from './turn-transitions';
import type { ListTurnsQueryDto } from './turns.dto';

const SELECT_TURNS = `SELECT ${selectEntityColumns(TurnEntity, 't')} FROM turns t`;

/** Key of an open turn whose device is away. */
export type AbandonedTurn = Pick<TurnRow, 'account_id' | 'session_id' | 'id'>;

/** Lowest and highest `seq` of new messages of a turn. */
export interface SeqRange {
  turnId: string;
  firstSeq: number;
  lastSeq: number;
}

/** A report is a sign of life too: a device may report without a socket. */
const ABANDONED_TURNS = `
  SELECT t.account_id, t.session_id, t.id FROM turns t JOIN devices d ON d.id = t.device_id
         LEFT JOIN device_presence p ON p.device_id = d.id
   WHERE t.state IN ('queued', 'running', 'requires_action') AND t.updated_at <= $1
     AND p.online IS NOT TRUE AND coalesce(greatest(d.last_seen_at, p.changed_at), t.updated_at) <= $1`;

@Injectable()
export class TurnsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  async find(accountId: string, sessionId: string, id: string): Promise<TurnRow | undefined> {
    if (!isWellFormedId('ses', sessionId) || !isWellFormedId('turn', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<TurnRow>(
      `${SELECT_TURNS} WHERE account_id = $1 AND session_id = $2 AND id = $3`,
      [accountId, sessionId, id],
    );
    return row;
  }

  /** Returns the state and version of turns by their key, without those that no longer exist. */
  async findProgress(turnKeys: readonly string[]): Promise<ReadonlyMap<string, TurnProgress>> {
    const turns = turnKeys.map((key) => key.split('/'));
    const rows = await this.unitOfWork.queryRows<TurnProgress & { session_id: string; id: string }>(
      `SELECT t.session_id, t.id, t.state, t.version FROM turns t
        WHERE (t.session_id, t.id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
      [turns.map(([sessionId]) => sessionId), turns.map(([, turnId]) => turnId)],
    );
    return new Map(rows.map((row) => [buildTurnKey(row.session_id, row.id), row]));
  }

  /** Returns false if another session of the account has a turn with this id. Requires the session's lock. */
  async insert(row: TurnRow): Promise<boolean> {
    const inserted = await this.unitOfWork.queryRows(
      `INSERT INTO turns (id, account_id, session_id, device_id, origin, revision, version, state, stop_reason,
                          error_code, pending_permissions, usage, created_at, started_at, ended_at, updated_at, cost,
                          last_activity_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
       ON CONFLICT ON CONSTRAINT turns_account_key DO NOTHING RETURNING 1`,
      [
        row.id,
        row.account_id,
        row.session_id,
        row.device_id,
        row.origin,
        row.revision,
        row.version,
        row.state,
        row.stop_reason,
        row.error_code,
        row.pending_permissions,
        row.usage,
        row.created_at,
        row.started_at,
        row.ended_at,
        row.updated_at,
        row.cost,
        row.last_activity_at,
      ],
    );
    return inserted.length === 1;
  }

  /** Stores everything that a report changes. The caller must hold the session's lock. */
  async update(row: TurnRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE turns SET revision = $3, version = $4, state = $5, stop_reason = $6, error_code = $7,
              pending_permissions = $8, usage = $9, started_at = $10, ended_at = $11, updated_at = $12,
              cost = $13, last_activity_at = $14
        WHERE session_id = $1 AND id = $2`,
      [
        row.session_id,
        row.id,
        row.revision,
        row.version,
        row.state,
        row.stop_reason,
        row.error_code,
        row.pending_permissions,
        row.usage,
        row.started_at,
        row.ended_at,
        row.updated_at,
        row.cost,
        row.last_activity_at,
      ],
    );
  }

  /** The caller must hold the session's lock. */
  async updateLastActivity({ session_id: sessionId, id, last_activity_at: at }: TurnRow): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE turns SET last_activity_at = $3 WHERE session_id = $1 AND id = $2', [
      sessionId,
      id,
      at,
    ]);
  }

  /** Returns each state that an open turn of the session has. Looks for one turn of each, however many there are. */
  async findOpenStates(sessionId: string): Promise<TurnState[]> {
    const rows = await this.unitOfWork.queryRows<{ state: TurnState }>(
      `SELECT state FROM unnest($2::text[]) state
        WHERE EXISTS (SELECT 1 FROM turns t WHERE t.session_id = $1 AND t.state = state.state)`,
      [sessionId, OPEN_TURN_STATES],
    );
    return rows.map(({ state }) => state);
  }

  /** Counts the open turns of the account by state. Reads them only, through the index of open turns. */
  async countOpenTurns(accountId: string): Promise<Partial<Record<TurnState, number>>> {
    const rows = await this.unitOfWork.queryRows<{ state: TurnState; count: number }>(
      `SELECT t.state, count(*)::integer AS count FROM devices d JOIN turns t ON t.device_id = d.id
        WHERE d.account_id = $1 AND t.state IN ('queued', 'running', 'requires_action') GROUP BY t.state`,
      [accountId],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  async findIdsOfDevice(deviceId: string, sessionId: string, ids: string[]): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      'SELECT id FROM turns WHERE session_id = $1 AND id = ANY($2) AND device_id = $3',
      [sessionId, ids, deviceId],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether this is a device of the account that may report turns of every session. */
  async isAccountDevice(accountId: string, deviceId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM devices WHERE id = $1 AND account_id = $2 AND kind = 'account'`,
      [deviceId, accountId],
    );
    return rows.length === 1;
  }

  /** Includes messages in the ranges of their turns. The caller must hold the session's lock. */
  async extendSeqRanges(sessionId: string, ranges: readonly SeqRange[], at: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE turns t
          SET first_seq = least(t.first_seq, r.first_seq), last_seq = greatest(t.last_seq, r.last_seq), updated_at = $5
         FROM unnest($2::text[], $3::integer[], $4::integer[]) r (turn_id, first_seq, last_seq)
        WHERE t.session_id = $1 AND t.id = r.turn_id`,
      [
        sessionId,
        ranges.map(({ turnId }) => turnId),
        ranges.map(({ firstSeq }) => firstSeq),
        ranges.map(({ lastSeq }) => lastSeq),
        at,
      ],
    );
  }

  /** Returns open turns whose device has been away since `cutoff`. */
  findAbandoned(cutoff: Date, limit: number): Promise<AbandonedTurn[]> {
    return this.unitOfWork.queryRows<AbandonedTurn>(`${ABANDONED_TURNS} LIMIT $2`, [cutoff, limit]);
  }

  async isAbandoned(sessionId: string, id: string, cutoff: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(`${ABANDONED_TURNS} AND t.session_id = $2 AND t.id = $3`, [
      cutoff,
      sessionId,
      id,
    ]);
    return rows.length === 1;
  }

  scanByAccount(accountId: string): AsyncGenerator<TurnRow> {
    const sql = 'SELECT t.* FROM turns t WHERE t.account_id = $1';
    return streamRows(this.unitOfWork, sql, 't', accountId, { key: ['id'] });
  }

  findPage(sessionId: string, query: ListTurnsQueryDto): Promise<Page<TurnRow>> {
    return this.pager.readPage<TurnRow>(
      {
        name: 'turns',
        ownerId: sessionId,
        select: SELECT_TURNS,
        key: creationOrderKey('t'),
        where: (_, bind) => [`t.session_id = ${bind(sessionId)}`],
        filterConditions: { state: (value, bind) => `t.state = ${bind(value)}` },
      },
      query,
    );
  }
}
