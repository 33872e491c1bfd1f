import type { RelayCaller, TurnReport } from '@external-api/protocol';

/** A turn as it survives a restart of the device. */
export interface TurnEntry {
  /** Id of the relayed call that began the turn, or one of this device for a turn that the agent began. */
  requestId: string;
  sessionId: string;
  caller: RelayCaller | null;
  /** Compact JWE of the message under the session's data key. Empty without one. */
  prompt: string;
  /** Unix ms in server time. The request can't arrive again later. */
  deadline: number;
  /** Unix ms in server time. */
  createdAt: number;
  /** Set before the prompt is written to the agent, which may then have acted on it. */
  isPrompted: boolean;
  /** Whether it goes before the others that wait. */
  isFirst?: boolean;
  /** Set when the service has stored the final state. */
  isSettled: boolean;
  /** Set for a turn that began while the service was a release without turns, which may never take a report of it. */
  isUnknownToService?: boolean;
  report: TurnReport;
}

/**
 * Called for an entry that can't be used. The problem contains no content.
 * @param turn the turn of the entry, if it is known
 */
export type OnDamagedEntry = (problem: string, turn?: Pick<TurnEntry, 'requestId' | 'sessionId'>) => void;

/** Storage of the turns that the device has accepted and of which the service doesn't know the end yet. */
export interface TurnJournal {
  /** Returns the turns of earlier runs, oldest first. Called once, before any turn is saved. */
  loadEntries(onDamaged?: OnDamagedEntry): Promise<TurnEntry[]>;
  /**
   * Adds or replaces a turn. Resolves once it survives the end of the process, if this journal is durable.
   * @param isSynced whether it also survives a power failure
   * @throws Error: ENOSPC
   */
  saveEntry(entry: TurnEntry, isSynced: boolean): Promise<void>;
  /** Lets the saved state of a turn survive a power failure. @throws Error such as EIO */
  syncEntry(requestId: string): Promise<void>;
  deleteEntry(requestId: string): Promise<void>;
}

/** In-memory journal, for devices that don't outlive their process. */
export class MemoryTurnJournal implements TurnJournal {
  private readonly entries = new Map<string, TurnEntry>();

  loadEntries(): Promise<TurnEntry[]> {
    return Promise.resolve([...this.entries.values()].map((entry) => structuredClone(entry)));
  }

  saveEntry(entry: TurnEntry): Promise<void> {
    this.entries.set(entry.requestId, structuredClone(entry));
    return Promise.resolve();
  }

  syncEntry(): Promise<void> {
    return Promise.resolve();
  }

  deleteEntry(requestId: string): Promise<void> {
    this.entries.delete(requestId);
    return Promise.resolve();
  }
}
