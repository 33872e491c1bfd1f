import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../common/ids';
import type { Page } from '../../common/pages';
import { KeysetPageReader, selectEntityColumns, streamRows, UnitOfWork } from '../../core/database';
import { QueuedMessageEntity } from './queued-message.entity';
import type { QueuedMessageMetadataRow, QueuedMessageRow } from './queued-message.response.dto';
import type { ListQueuedMessagesQueryDto } from './queued-messages.dto';

const METADATA_COLUMNS = selectEntityColumns(QueuedMessageEntity, 'q', ['sealedText']);

/** Inserted columns. The others have their initial values. */
export type NewQueuedMessage = Pick<
  QueuedMessageEntity,
  | 'id'
  | 'accountId'
  | 'sessionId'
  | 'tokenId'
  | 'appId'
  | 'callerDeviceId'
  | 'sealedText'
  | 'sizeBytes'
  | 'notBefore'
  | 'expiresAt'
  | 'dueAt'
  | 'createdAt'
>;

/** SQL for what callers do with queued messages. The dispatch has its own in `QueueDispatchRepository`. */
@Injectable()
export class QueuedMessagesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Inserts a message after the session's others. The caller must hold the session's lock. */
  async insert(message: NewQueuedMessage): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO queued_messages (id, account_id, session_id, position, token_id, app_id, caller_device_id,
                                    sealed_text, size_bytes, not_before, expires_at, due_at, created_at)
       SELECT $1, $2, $3, coalesce(max(position), 0) + 1, $4, $5, $6, $7, $8, $9, $10, $11, $12
         FROM queued_messages WHERE session_id = $3`,
      [
        message.id,
        message.accountId,
        message.sessionId,
        message.tokenId,
        message.appId,
        message.callerDeviceId,
        message.sealedText,
        message.sizeBytes,
        message.notBefore,
        message.expiresAt,
        message.dueAt,
        message.createdAt,
      ],
    );
  }

  /** Counts the messages that have not ended. The caller must hold the locks of the session and the account. */
  async countOpen(accountId: string, sessionId: string): Promise<{ ofAccount: number; ofSession: number }> {
    const [row] = await this.unitOfWork.queryRows<{ ofAccount: number; ofSession: number }>(
      `SELECT count(*)::integer AS "ofAccount", count(*) FILTER (WHERE session_id = $2)::integer AS "ofSession"
         FROM queued_messages WHERE account_id = $1 AND ended_at IS NULL`,
      [accountId, sessionId],
    );
    return row!;
  }

  async find(accountId: string, sessionId: string, id: string): Promise<QueuedMessageMetadataRow | undefined> {
    if (!isWellFormedId('ses', sessionId) || !isWellFormedId('qmsg', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<QueuedMessageMetadataRow>(
      `SELECT ${METADATA_COLUMNS} FROM queued_messages q
        WHERE q.account_id = $1 AND q.session_id = $2 AND q.id = $3`,
      [accountId, sessionId, id],
    );
    return row;
  }

  /** Returns the messages of a session that have not ended, in their order. */
  findOpen(sessionId: string): Promise<QueuedMessageMetadataRow[]> {
    return this.unitOfWork.queryRows<QueuedMessageMetadataRow>(
      `SELECT ${METADATA_COLUMNS} FROM queued_messages q
        WHERE q.session_id = $1 AND q.ended_at IS NULL ORDER BY q.position`,
      [sessionId],
    );
  }

  /** Stores the end of a message and deletes its text. The caller must hold the session's lock. */
  async end(row: QueuedMessageMetadataRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE queued_messages SET sealed_text = NULL, state = $2, version = $3, turn_id = $4, error_code = $5,
              ended_at = $6, lease_ends_at = NULL
        WHERE id = $1`,
      [row.id, row.state, row.version, row.turn_id, row.error_code, row.ended_at],
    );
  }

  async deleteText(id: string): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE queued_messages SET sealed_text = NULL WHERE id = $1', [id]);
  }

  scanByAccount(accountId: string): AsyncGenerator<QueuedMessageRow> {
    const sql = 'SELECT q.* FROM queued_messages q WHERE q.account_id = $1';
    return streamRows(this.unitOfWork, sql, 'q', accountId, { key: ['id'], batchSize: 20 });
  }

  findPage(sessionId: string, query: ListQueuedMessagesQueryDto): Promise<Page<QueuedMessageMetadataRow>> {
    return this.pager.readPage<QueuedMessageMetadataRow>(
      {
        name: 'queued-messages',
        ownerId: sessionId,
        select: `SELECT ${METADATA_COLUMNS} FROM queued_messages q`,
        key: { columns: [['q.position', 'integer']], getValues: ({ position }) => [position] },
        where: (_, bind) => [`q.session_id = ${bind(sessionId)}`],
        filterConditions: { state: (value, bind) => `q.state = ${bind(value)}` },
      },
      query,
    );
  }
}
