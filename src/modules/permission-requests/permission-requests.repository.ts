import { Injectable } from '@nestjs/common';
import type { PermissionRequestState } from '@external-api/protocol';
import { isWellFormedId } from '../../common/ids';
import type { Page } from '../../common/pages';
import {
  buildPageSizeColumns,
  creationOrderKey,
  KeysetPageReader,
  selectEntityColumns,
  streamRows,
  UnitOfWork,
  type BindParameter,
  type KeysetListDefinition,
} from '../../core/database';
import type { PermissionRequestMetadataRow, PermissionRequestRow } from './permission-request.response.dto';
import { PermissionRequestEntity } from './permission-request.entity';
import { MAX_TIME_TO_EXPIRY_MS } from './permission-report-rules';
import type { ListAccountPermissionRequestsQueryDto, ListPermissionRequestsQueryDto } from './permission-requests.dto';

const METADATA_COLUMNS = selectEntityColumns(PermissionRequestEntity, 'p', ['content']);
const CONTENT_PAGE_COLUMNS = `${selectEntityColumns(PermissionRequestEntity, 'p')},
  ${buildPageSizeColumns('coalesce(octet_length(p.content), 0)')}`;

/** Session with contents to delete. */
export interface SessionWithExpiredContent {
  session_id: string;
  account_id: string;
}

@Injectable()
export class PermissionRequestsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Finds a request without its ciphertext. Malformed ids are unknown. */
  async find(accountId: string, sessionId: string, id: string): Promise<PermissionRequestMetadataRow | undefined> {
    if (!isWellFormedId('ses', sessionId) || !isWellFormedId('perm', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<PermissionRequestMetadataRow>(
      `SELECT ${METADATA_COLUMNS} FROM permission_requests p
        WHERE p.account_id = $1 AND p.session_id = $2 AND p.id = $3`,
      [accountId, sessionId, id],
    );
    return row;
  }

  /** Finds a request with its ciphertext and the tag of its session. */
  async findWithContent(
    accountId: string,
    sessionId: string,
    id: string,
  ): Promise<(PermissionRequestRow & { tag: string }) | undefined> {
    const [row] = await this.unitOfWork.queryRows<PermissionRequestRow & { tag: string }>(
      `SELECT p.*, s.tag FROM permission_requests p JOIN sessions s ON s.id = p.session_id
        WHERE p.account_id = $1 AND p.session_id = $2 AND p.id = $3`,
      [accountId, sessionId, id],
    );
    return row;
  }

  async findByLocalId(sessionId: string, localId: string): Promise<PermissionRequestRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<PermissionRequestRow>(
      'SELECT * FROM permission_requests WHERE session_id = $1 AND local_id = $2',
      [sessionId, localId],
    );
    return row;
  }

  /** Counts the requests that wait for a decision. The caller must hold the session's lock. */
  async countPending(sessionId: string, now: Date): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      `SELECT count(*)::integer AS count FROM permission_requests
        WHERE session_id = $1 AND state = 'pending' AND expires_at > $2`,
      [sessionId, now],
    );
    return row!.count;
  }

  async insert(permissionRequest: PermissionRequestEntity): Promise<void> {
    await this.unitOfWork.manager.insert(PermissionRequestEntity, permissionRequest);
  }

  /** Stores what a report or a decision changes. The caller must hold the session's lock. */
  async update(row: PermissionRequestMetadataRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE permission_requests
          SET revision = $3, state = $4, option_id = $5, decided_at = $6, decided_by = $7, delete_content_at = $8
        WHERE account_id = $1 AND id = $2`,
      [
        row.account_id,
        row.id,
        row.revision,
        row.state,
        row.option_id,
        row.decided_at,
        row.decided_by,
        row.delete_content_at,
      ],
    );
  }

  /** Returns sessions of the requests whose content is due for deletion, the oldest first. */
  findSessionsWithExpiredContent(now: Date, maxRequests: number): Promise<SessionWithExpiredContent[]> {
    return this.unitOfWork.queryRows<SessionWithExpiredContent>(
      `SELECT DISTINCT session_id, account_id FROM (
         SELECT session_id, account_id FROM permission_requests
          WHERE content IS NOT NULL AND delete_content_at <= $1 ORDER BY delete_content_at LIMIT $2) due`,
      [now, maxRequests],
    );
  }

  /** Deletes the content that is due. Returns the sizes. The caller must hold the session's lock. */
  async deleteExpiredContent(sessionId: string, now: Date, maxRequests: number): Promise<number[]> {
    const rows = await this.unitOfWork.queryRows<{ size_bytes: number }>(
      `UPDATE permission_requests SET content = NULL WHERE id IN (
         SELECT id FROM permission_requests
          WHERE session_id = $1 AND content IS NOT NULL AND delete_content_at <= $2 LIMIT $3) RETURNING size_bytes`,
      [sessionId, now, maxRequests],
    );
    return rows.map((row) => row.size_bytes);
  }

  scanByAccount(accountId: string): AsyncGenerator<PermissionRequestRow> {
    const sql = 'SELECT p.* FROM permission_requests p WHERE p.account_id = $1';
    return streamRows(this.unitOfWork, sql, 'p', accountId, { key: ['id'], batchSize: 20 });
  }

  findPage(
    sessionId: string,
    query: ListPermissionRequestsQueryDto,
    now: Date,
  ): Promise<Page<PermissionRequestMetadataRow>> {
    const list = buildPermissionRequestList(sessionId, METADATA_COLUMNS, now);
    return this.pager.readPage<PermissionRequestMetadataRow>(list, query);
  }

  /** Lists requests with ciphertext, oldest first. */
  findPageWithContent(
    sessionId: string,
    query: ListPermissionRequestsQueryDto,
    now: Date,
  ): Promise<Page<PermissionRequestRow>> {
    const list = buildPermissionRequestList(sessionId, CONTENT_PAGE_COLUMNS, now);
    return this.pager.readPage<PermissionRequestRow>({ ...list, defaultOrder: 'asc', isSizeLimited: true }, query);
  }

  /** Lists the requests of an account's sessions with ciphertext, newest first. */
  findAccountPageWithContent(
    accountId: string,
    query: ListAccountPermissionRequestsQueryDto,
    now: Date,
  ): Promise<Page<PermissionRequestRow>> {
    const oldestPending = new Date(now.getTime() - MAX_TIME_TO_EXPIRY_MS);
    const list: KeysetListDefinition<PermissionRequestRow> = {
      name: 'account-permission-requests',
      ownerId: accountId,
      select: `SELECT ${CONTENT_PAGE_COLUMNS} FROM permission_requests p`,
      key: creationOrderKey('p'),
      where: ({ state }, bindParameter) => [
        `p.account_id = ${bindParameter(accountId)}`,
        ...buildStateConditions(state as 'pending' | undefined, now, bindParameter),
        // Rows of devices that never came back stay pending. None of them is read here.
        ...(state === 'pending' ? [`p.created_at > ${bindParameter(oldestPending)}::timestamptz`] : []),
      ],
      isSizeLimited: true,
    };
    return this.pager.readPage<PermissionRequestRow>(list, query);
  }
}

function buildPermissionRequestList(
  sessionId: string,
  columns: string,
  now: Date,
): KeysetListDefinition<PermissionRequestMetadataRow> {
  return {
    name: 'permission-requests',
    ownerId: sessionId,
    select: `SELECT ${columns} FROM permission_requests p`,
    key: creationOrderKey('p'),
    where: ({ state }, bindParameter) => [
      `p.session_id = ${bindParameter(sessionId)}`,
      ...buildStateConditions(state as PermissionRequestState | undefined, now, bindParameter),
    ],
  };
}

/** Returns the conditions for the state that callers see: the row of an expired request may still be pending. */
function buildStateConditions(
  state: PermissionRequestState | undefined,
  now: Date,
  bindParameter: BindParameter,
): string[] {
  if (state === undefined) return [];
  if (state === 'pending') return [`p.state = 'pending'`, `p.expires_at > ${bindParameter(now)}::timestamptz`];
  if (state === 'expired') {
    const isPast = `p.expires_at <= ${bindParameter(now)}::timestamptz`;
    return [`p.state IN ('pending', 'expired')`, `(p.state = 'expired' OR ${isPast})`];
  }
  return [`p.state = ${bindParameter(state)}`];
}
