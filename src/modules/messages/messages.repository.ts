import { Injectable } from '@nestjs/common';
import type { Page } from '../../common/pages';
import {
  KeysetPageReader,
  selectEntityColumns,
  streamRows,
  UnitOfWork,
  buildPageSizeColumns,
  type KeysetKey,
  type KeysetListDefinition,
  type RowOf,
} from '../../core/database';
import type { MessageRow } from './message.response.dto';
import { MessageEntity } from './message.entity';
import type { ListMessagesQueryDto } from './messages.dto';

const MESSAGE_COLUMNS = selectEntityColumns(MessageEntity, 'm');
const MESSAGE_METADATA_COLUMNS = selectEntityColumns(MessageEntity, 'm', ['content']);

type MessageRowWithContent = RowOf<MessageEntity>;

const MESSAGE_SEQ_KEY: KeysetKey<MessageRow> = {
  columns: [['m.seq', 'integer']],
  getValues: (row) => [row.seq],
};

@Injectable()
export class MessagesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Returns the existing messages of the session by localId. */
  async findByLocalIds(sessionId: string, localIds: string[]): Promise<Map<string, { id: string; seq: number }>> {
    const rows = await this.unitOfWork.queryRows<{ id: string; seq: number; local_id: string }>(
      'SELECT id, seq, local_id FROM messages WHERE session_id = $1 AND local_id = ANY($2)',
      [sessionId, localIds],
    );
    return new Map(rows.map(({ local_id, id, seq }) => [local_id, { id, seq }]));
  }

  async insert(messages: MessageEntity[]): Promise<void> {
    await this.unitOfWork.manager.insert(MessageEntity, messages);
  }

  async existsInSession(accountId: string, sessionId: string, id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE s.account_id = $1 AND s.id = $2 AND m.id = $3`,
      [accountId, sessionId, id],
    );
    return rows.length === 1;
  }

  /** Finds a message with its ciphertext and the tag of its session. */
  async findWithContent(
    accountId: string,
    sessionId: string,
    id: string,
  ): Promise<(MessageRowWithContent & { tag: string }) | undefined> {
    const [row] = await this.unitOfWork.queryRows<MessageRowWithContent & { tag: string }>(
      `SELECT m.*, s.tag FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE s.account_id = $1 AND s.id = $2 AND m.id = $3`,
      [accountId, sessionId, id],
    );
    return row;
  }

  async findNewestContent(sessionId: string): Promise<string | undefined> {
    const [row] = await this.unitOfWork.queryRows<{ content: string }>(
      'SELECT content FROM messages WHERE session_id = $1 ORDER BY seq DESC LIMIT 1',
      [sessionId],
    );
    return row?.content;
  }

  /**
   * Reads one session after another: the planner may answer a join of both tables from everybody's messages. Lists the
   * columns, so that PostgreSQL plans the many batches once.
   */
  async *scanByAccount(accountId: string): AsyncGenerator<MessageRowWithContent> {
    const sessionsSql = 'SELECT s.id, s.created_at FROM sessions s WHERE s.account_id = $1 AND s.message_count > 0';
    const messagesSql = `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.session_id = $1`;
    const options = { key: ['seq'], batchSize: 20 };
    for await (const { id } of streamRows<{ id: string }>(this.unitOfWork, sessionsSql, 's', accountId))
      yield* streamRows<MessageRowWithContent>(this.unitOfWork, messagesSql, 'm', id, options);
  }

  findPage(sessionId: string, query: ListMessagesQueryDto): Promise<Page<MessageRow>> {
    return this.pager.readPage<MessageRow>(buildMessageList(sessionId, MESSAGE_METADATA_COLUMNS, 'desc'), query);
  }

  /** Lists messages with ciphertext, oldest first. */
  findPageWithContent(sessionId: string, query: ListMessagesQueryDto): Promise<Page<MessageRowWithContent>> {
    const columns = `${MESSAGE_COLUMNS}, ${buildPageSizeColumns('m.size_bytes')}`;
    const keysetList = { ...buildMessageList(sessionId, columns, 'asc'), isSizeLimited: true };
    return this.pager.readPage<MessageRowWithContent>(keysetList, query);
  }
}

function buildMessageList(
  sessionId: string,
  columns: string,
  defaultOrder: 'asc' | 'desc',
): KeysetListDefinition<MessageRow> {
  return {
    name: 'messages',
    ownerId: sessionId,
    select: `SELECT ${columns} FROM messages m`,
    key: MESSAGE_SEQ_KEY,
    defaultOrder,
    where: (_, bind) => [`m.session_id = ${bind(sessionId)}`],
    filterConditions: {
      turnId: (value, bind) => `m.turn_id = ${bind(value)}`,
      role: (value, bind) => `m.role = ${bind(value)}`,
      afterSeq: (value, bind) => `m.seq > ${bind(value)}`,
      beforeSeq: (value, bind) => `m.seq < ${bind(value)}`,
    },
  };
}
