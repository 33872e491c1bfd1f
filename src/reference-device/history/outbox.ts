/** A text for a session's history, sealed already, as `POST /v1/sessions/{id}/messages` takes it. */
export interface HistoryEntry {
  sessionId: string;
  localId: string;
  role: 'user' | 'assistant';
  /** Compact JWE */
  content: string;
}

export interface KeptEntry {
  entry: HistoryEntry;
  /** Forgets it, once the service has it. */
  remove: () => Promise<void>;
}

/** Where history waits until the service has it. */
export interface Outbox {
  /** What an earlier run left, oldest first; asked for once, before anything is kept. */
  load(): Promise<KeptEntry[]>;
  /** Resolves once it would outlive the process, as far as this outbox can. @throws Error, such as ENOSPC */
  keep(entry: HistoryEntry): Promise<KeptEntry>;
}

/** For devices that live no longer than their process. */
export class MemoryOutbox implements Outbox {
  private readonly kept = new Set<HistoryEntry>();

  load(): Promise<KeptEntry[]> {
    return Promise.resolve([...this.kept].map((entry) => this.handle(entry)));
  }

  keep(entry: HistoryEntry): Promise<KeptEntry> {
    this.kept.add(entry);
    return Promise.resolve(this.handle(entry));
  }

  private handle(entry: HistoryEntry): KeptEntry {
    return { entry, remove: () => Promise.resolve(void this.kept.delete(entry)) };
  }
}
