import { Injectable } from '@nestjs/common';
import type { RelayMethod } from '@external-api/protocol';
import { isWellFormedId } from '../../../common/ids';
import type { Page } from '../../../common/pages';
import { KeysetPageReader, UnitOfWork, type FilterConditions } from '../../../core/database';
import type { OutcomeKind } from '../relay.errors';
import type { ListActivityQueryDto, ActivityOutcome } from './list-activity-query.dto';
import { RelayCallEntity } from './relay-call.entity';

/** A call with the names of its caller and its device, in the columns' own names. */
export interface RelayActivityRow {
  id: string;
  method: RelayMethod;
  token_id: string | null;
  token_name: string | null;
  app_id: string | null;
  app_name: string | null;
  caller_device_id: string | null;
  caller_device_name: string | null;
  device_id: string | null;
  device_name: string | null;
  session_id: string | null;
  machine_id: string | null;
  status: number;
  code: string | null;
  outcome: OutcomeKind | null;
  request_bytes: number;
  result_bytes: number | null;
  route_ms: number | null;
  device_ms: number | null;
  total_ms: number | null;
  timed_out: boolean | null;
  created_at: Date;
}

/** Names are null if the token, app or device was deleted. Subqueries look names up for the rows of a page only. */
const SELECT_WITH_NAMES = `SELECT c.*, c.request_id AS id,
    (SELECT name FROM external_tokens WHERE id = c.token_id) AS token_name,
    (SELECT name FROM developer_apps WHERE id = c.app_id) AS app_name,
    (SELECT name FROM devices WHERE id = c.caller_device_id) AS caller_device_name,
    (SELECT name FROM devices WHERE id = c.device_id) AS device_name
  FROM relay_calls c`;

/**
 * Passes all rows as one parameter: the ORM's own insert took an eighth of the time of a relayed call. A call to a
 * session gets the session's machine. A row without a total time says that the origin of the call seems to be gone. It
 * replaces no row, since the origin may have stored how the call ended.
 */
const UPSERT_CALLS = `INSERT INTO relay_calls (request_id, account_id, method, device_id, session_id, machine_id,
    token_id, app_id, caller_device_id, request_bytes, result_bytes, status, code, outcome, route_ms, device_ms,
    total_ms, timed_out, created_at)
  SELECT r."requestId", r."accountId", r.method, r."deviceId", r."sessionId", coalesce(r."machineId", s.machine_id),
    r."tokenId", r."appId", r."callerDeviceId", r."requestBytes", r."resultBytes", r.status, r.code, r.outcome,
    r."routeMs", r."deviceMs", r."totalMs", r."timedOut", r."createdAt"
  FROM json_to_recordset($1) AS r ("requestId" text, "accountId" text, method text, "deviceId" text,
    "sessionId" text, "machineId" text, "tokenId" text, "appId" text, "callerDeviceId" text, "requestBytes" integer,
    "resultBytes" integer, status integer, code text, outcome text, "routeMs" integer, "deviceMs" integer,
    "totalMs" integer, "timedOut" boolean, "createdAt" timestamptz)
  LEFT JOIN sessions s ON s.id = r."sessionId" AND s.account_id = r."accountId"
  ON CONFLICT (request_id) DO UPDATE SET device_id = excluded.device_id, request_bytes = excluded.request_bytes,
    result_bytes = excluded.result_bytes, status = excluded.status, code = excluded.code, outcome = excluded.outcome,
    route_ms = excluded.route_ms, device_ms = excluded.device_ms, total_ms = excluded.total_ms,
    timed_out = excluded.timed_out, created_at = excluded.created_at
  WHERE excluded.total_ms IS NOT NULL
  RETURNING request_id, machine_id`;

@Injectable()
export class RelayCallsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  findPage(accountId: string, query: ListActivityQueryDto): Promise<Page<RelayActivityRow>> {
    return this.pager.readPage<RelayActivityRow>(
      {
        name: 'relay-calls',
        ownerId: accountId,
        select: SELECT_WITH_NAMES,
        key: {
          columns: [
            ['c.created_at', 'timestamptz'],
            ['c.request_id', 'text'],
          ],
          getValues: ({ created_at: createdAt, id }) => [createdAt.getTime(), id],
        },
        where: (_, bind) => [`c.account_id = ${bind(accountId)}`],
        filterConditions: FILTER_CONDITIONS,
      },
      query,
    );
  }

  async findWithNames(accountId: string, requestId: string): Promise<RelayActivityRow | undefined> {
    if (!isWellFormedId('req', requestId)) return undefined;
    const [row] = await this.unitOfWork.queryRows<RelayActivityRow>(
      `${SELECT_WITH_NAMES} WHERE c.account_id = $1 AND c.request_id = $2`,
      [accountId, requestId],
    );
    return row;
  }

  /**
   * Inserts the rows, or replaces those that an earlier stage of the same call wrote. Returns the stored rows, with the
   * machines of their sessions.
   */
  async save(rows: RelayCallEntity[]): Promise<RelayCallEntity[]> {
    const saved = await this.unitOfWork.queryRows<{ request_id: string; machine_id: string | null }>(UPSERT_CALLS, [
      JSON.stringify(rows),
    ]);
    const machineIds = new Map(saved.map(({ request_id: id, machine_id: machineId }) => [id, machineId]));
    return rows
      .filter(({ requestId }) => machineIds.has(requestId))
      .map((row) => ({ ...row, machineId: machineIds.get(row.requestId) ?? null }));
  }

  async find(accountId: string, requestId: string): Promise<RelayCallEntity | null> {
    if (!isWellFormedId('req', requestId)) return null;
    return this.unitOfWork.manager.findOneBy(RelayCallEntity, { accountId, requestId });
  }

  async remove(requestId: string): Promise<void> {
    await this.unitOfWork.manager.delete(RelayCallEntity, { requestId });
  }
}

/** The predicate of `relay_calls_failed_idx`. */
const FAILED = '(c.status >= 300 OR c.timed_out)';

const OUTCOME_CONDITIONS: Record<ActivityOutcome, string> = {
  done: 'c.status < 300 AND c.timed_out IS NOT TRUE',
  failed: FAILED,
  timed_out: `${FAILED} AND c.timed_out`,
  device_error: `${FAILED} AND c.status >= 300 AND c.outcome = 'answered'`,
  not_delivered: `${FAILED} AND c.outcome = 'not_delivered'`,
  unknown: `${FAILED} AND c.outcome = 'unknown'`,
};

const FILTER_CONDITIONS: FilterConditions = {
  callerId: (value, bind) => `${String(value).startsWith('tok_') ? 'c.token_id' : 'c.app_id'} = ${bind(value)}`,
  deviceId: (value, bind) => `c.device_id = ${bind(value)}`,
  outcome: (value) => OUTCOME_CONDITIONS[value as ActivityOutcome],
  since: (value, bind) => `c.created_at >= ${bind(new Date(value))}`,
  until: (value, bind) => `c.created_at < ${bind(new Date(value))}`,
};
