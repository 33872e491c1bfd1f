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
  /** Resolves once the message survives a power failure, or is deleted. @throws Error such as EIO */
  sync: () => Promise<void>;
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
  /**
   * Stores a message. Resolves once it survives the end of the process, if this outbox is durable.
   * @throws Error such as ENOSPC
   */
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
    return { entry, sync: () => Promise.resolve(), remove, setAside: () => remove().then(() => null) };
  }
}

/** A message whose content may still be on its way, since it is being encrypted. */
export type NewHistoryEntry = Omit<HistoryEntry, 'content'> & { content: string | Promise<string> };

/** A message that the service has not stored yet, from the moment in which it is appended. */
export class PendingEntry {
  /** Resolves with the message when it is encrypted. */
  readonly sealed: Promise<HistoryEntry>;
  /** Resolves once the message survives the end of this process. */
  readonly written: Promise<OutboxEntry>;
  /** Resolves to the message id, or to null when the service rejected the message permanently. */
  readonly stored: Promise<string | null>;
  resolveStored: (messageId: string | null) => void = () => undefined;
  private synced: Promise<void> | undefined;

  /** @param onProblem called when the disk can't be written; the message is sent all the same */
  constructor(
    readonly place: Omit<HistoryEntry, 'content'>,
    content: string | Promise<string>,
    outbox: Pick<HistoryOutbox, 'storeEntry'>,
    private readonly onProblem: (error: Error) => void,
  ) {
    this.sealed = Promise.resolve(content).then((text) => ({ ...place, content: text }));
    this.written = this.sealed.then((entry) =>
      outbox.storeEntry(entry).catch((error: Error): OutboxEntry => {
        onProblem(error);
        const doNothing = () => Promise.resolve();
        return { entry, sync: doNothing, remove: doNothing, setAside: () => Promise.resolve(null) };
      }),
    );
    // Callers who wait for it learn of the failure, and nobody else has to.
    this.written.catch(() => undefined);
    this.stored = new Promise((resolve) => (this.resolveStored = resolve));
  }

  /** Resolves once the message survives a power failure, or can't. Never rejects. */
  async sync(): Promise<void> {
    this.synced ??= this.written
      .then((outboxEntry) => outboxEntry.sync())
      .catch((error: unknown) => this.onProblem(error as Error));
    await this.synced;
  }
}
