import { messagePlace } from '../../wire';
import type { DataKey } from '../content/data-key';
import { sealText } from './history-text';
import type { HistoryWriter } from './history-writer';
import type { HistoryEntry } from './outbox';

/** A session that this device hosts, with the key of its content. */
export interface HostedSession {
  accountId: string;
  id: string;
  tag: string;
  dataKey: DataKey;
}

/** The encrypted history of one session (device-api.md, Reference device). */
export class SessionHistory {
  constructor(
    private readonly session: HostedSession,
    private readonly writer: HistoryWriter,
  ) {}

  get sessionId(): string {
    return this.session.id;
  }

  /** So much waits that nothing more should be begun. */
  get isFull(): boolean {
    return this.writer.isFull;
  }

  get isStalled(): boolean {
    return this.writer.isStalled;
  }

  /** One text of the exchange that a relayed call began; as {@link HistoryWriter.append}. */
  async append(requestId: string, role: HistoryEntry['role'], text: string) {
    const { accountId, id: sessionId, tag, dataKey } = this.session;
    const localId = `${requestId}:${role}`;
    const content = await sealText(text, dataKey, messagePlace(accountId, tag, localId, role));
    return this.writer.append({ sessionId, localId, role, content });
  }
}
