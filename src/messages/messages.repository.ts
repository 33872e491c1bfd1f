import { Injectable } from '@nestjs/common';
import type { Page } from '../common/pages';
import { KeysetPager, scan, UnitOfWork, type KeysetKey, type KeysetList } from '../persistence';
import type { MessageRow } from './message-record';
import { MessageEntity } from './message.entity';
import type { MessageQuery } from './messages.dto';

const METADATA = 'm.id, m.session_id, m.seq, m.local_id, m.role, m.key_id, m.size_bytes, m.created_at';

type PlacedMessage = MessageRow & { content: string; tag: string };

const BY_SEQ: KeysetKey<MessageRow> = {
  columns: [['m.seq', 'integer']],
  valuesOf: (row) => [row.seq],
};

@Injectable()
export class MessagesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  /** Those of the session that exist already, by localId. */
  async findByLocalIds(sessionId: string, localIds: string[]): Promise<Map<string, { id: string; seq: number }>> {
    const rows = await this.unitOfWork.query<{ id: string; seq: number; local_id: string }>(
      'SELECT id, seq, local_id FROM messages WHERE session_id = $1 AND local_id = ANY($2)',
      [sessionId, localIds],
    );
    return new Map(rows.map(({ local_id, id, seq }) => [local_id, { id, seq }]));
  }

  async insert(messages: MessageEntity[]): Promise<void> {
    await this.unitOfWork.manager.insert(MessageEntity, messages);
  }

  async exists(accountId: string, sessionId: string, id: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `SELECT 1 FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE s.account_id = $1 AND s.id = $2 AND m.id = $3`,
      [accountId, sessionId, id],
    );
    return rows.length === 1;
  }

  /** With its ciphertext and the tag of its session. */
  async findWithContent(accountId: string, sessionId: string, id: string): Promise<PlacedMessage | undefined> {
    const [row] = await this.unitOfWork.query<PlacedMessage>(
      `SELECT ${METADATA}, m.content, s.tag FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE s.account_id = $1 AND s.id = $2 AND m.id = $3`,
      [accountId, sessionId, id],
    );
    return row;
  }

  scan(accountId: string): AsyncGenerator<MessageRow & { content: string }> {
    return scan(
      this.unitOfWork,
      'SELECT m.* FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.account_id = $1',
      'm',
      accountId,
      20,
    );
  }

  page(sessionId: string, query: MessageQuery): Promise<Page<MessageRow>> {
    return this.pager.page<MessageRow>(list(sessionId, METADATA, 'desc'), query);
  }

  /** With their ciphertext, oldest first. */
  pageWithContent(sessionId: string, query: MessageQuery): Promise<Page<MessageRow & { content: string }>> {
    const columns = `${METADATA}, m.content`;
    return this.pager.page<MessageRow & { content: string }>(list(sessionId, columns, 'asc'), query);
  }
}

function list(sessionId: string, columns: string, defaultOrder: 'asc' | 'desc'): KeysetList<MessageRow> {
  return {
    name: 'messages',
    owner: sessionId,
    select: `SELECT ${columns} FROM messages m`,
    key: BY_SEQ,
    defaultOrder,
    where: ({ role, afterSeq, beforeSeq }, bind) => [
      `m.session_id = ${bind(sessionId)}`,
      ...(role === undefined ? [] : [`m.role = ${bind(role)}`]),
      ...(afterSeq === undefined ? [] : [`m.seq > ${bind(afterSeq)}`]),
      ...(beforeSeq === undefined ? [] : [`m.seq < ${bind(beforeSeq)}`]),
    ],
  };
}
