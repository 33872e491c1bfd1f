import type { TurnOrigin } from '@external-api/protocol';

/** An encrypted message for a session's history, in the format of `POST /v1/sessions/{id}/messages`. */
export interface HistoryEntry {
  sessionId: string;
  localId: string;
  role: 'user' | 'assistant' | 'system' | 'tool';
  /** Id of the relayed call that began the turn of this message, or the device's own. Absent outside of turns. */
  turnLocalId?: string;
  /** Absent for a turn that a message began. */
  turnOrigin?: TurnOrigin;
  /** Whether the message is older than its session, see {@link SessionHistory.appendReplay}. */
  imported?: true;
  /** Compact JWE */
  content: string;
}

export interface OutboxEntry {
  entry: HistoryEntry;
  /** Deletes the message after the service has stored it. */
  remove: () => Promise<void>;
  /** Keeps a message that the service rejects where it is not sent again. Returns its file, null if it has none. */
  setAside: () => Promise<string | null>;
}

/** Storage of messages that the service has not stored yet. */
export interface HistoryOutbox {
  /**
   * Returns the messages of earlier runs, oldest first. Called once, before any message is added.
   * @param onProblem called for a message that can't be used
   */
  loadEntries(onProblem?: (problem: string) => void): Promise<OutboxEntry[]>;
  /** Stores a message. Resolves once it survives a restart, if this outbox is durable. @throws Error such as ENOSPC */
  storeEntry(entry: HistoryEntry): Promise<OutboxEntry>;
}

/** In-memory outbox, for devices that don't outlive their process. */
export class MemoryHistoryOutbox implements HistoryOutbox {
  private readonly entries = new Set<HistoryEntry>();

  loadEntries(): Promise<OutboxEntry[]> {
    return Promise.resolve([...this.entries].map((entry) => this.toOutboxEntry(entry)));
  }

  storeEntry(entry: HistoryEntry): Promise<OutboxEntry> {
    this.entries.add(entry);
    return Promise.resolve(this.toOutboxEntry(entry));
  }

  private toOutboxEntry(entry: HistoryEntry): OutboxEntry {
    const remove = () => Promise.resolve(void this.entries.delete(entry));
    return { entry, remove, setAside: () => remove().then(() => null) };
  }
}
