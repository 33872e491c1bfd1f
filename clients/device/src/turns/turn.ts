import {
  computeTurnId,
  isFinalTurnState,
  type RelayCaller,
  type ReportedTurnState,
  truncateText,
  type TurnOrigin,
  type TurnReport,
  type TurnSummary,
} from '@external-api/protocol';
import type { TurnEntry } from './turn-journal';

/** Maximum length of the reply that an answer carries, in characters. The history has the whole text. */
const MAX_REPLY_LENGTH = 262_144;
/** Between the agent's messages in a reply. */
const BLANK_LINE = '\n\n';
/** The same moment differs by a few ms from one reading of the clocks to the next. */
const MIN_ACTIVITY_STEP_MS = 1_000;

export type TurnChange = Partial<Omit<TurnReport, 'revision'>>;

/**
 * Writes each state to the journal, then to the service.
 * @throws Error when the journal can't be written, unless the state is final
 */
export type SaveTurn = (entry: TurnEntry) => Promise<void>;

/** Tells the service when the agent last did something, if it can. */
export type ReportActivity = (entry: TurnEntry) => void;

/** One message and everything that the agent does until it stops, or what it does by itself. */
export class Turn {
  /** Id of the user's message in the history; null when the service rejected it. Pending until it is stored. */
  messageStored: Promise<string | null> = new Promise(() => undefined);
  private readonly replyTexts: string[] = [];
  private replyLength = 0;
  private readonly listeners = new Set<() => void>();
  private lastSave: Promise<void> = Promise.resolve();

  constructor(
    private entry: TurnEntry,
    private readonly saveTurn: SaveTurn,
    private readonly reportActivity: ReportActivity,
  ) {}

  get id(): string {
    return computeTurnId(this.entry.requestId);
  }

  get requestId(): string {
    return this.entry.requestId;
  }

  /** Undefined if a message began the turn. */
  get origin(): TurnOrigin | undefined {
    return this.entry.report.origin;
  }

  get sessionId(): string {
    return this.entry.sessionId;
  }

  get caller(): RelayCaller | null {
    return this.entry.caller;
  }

  get prompt(): string {
    return this.entry.prompt;
  }

  get isPrompted(): boolean {
    return this.entry.isPrompted;
  }

  get state(): ReportedTurnState {
    return this.entry.report.state;
  }

  get isFirst(): boolean {
    return this.entry.isFirst ?? false;
  }

  get hasEnded(): boolean {
    return isFinalTurnState(this.state);
  }

  /** Resolves when the newest state is in the journal, or can't be written. */
  get saved(): Promise<void> {
    return this.lastSave;
  }

  get summary(): TurnSummary {
    return { id: this.id, state: this.state, stopReason: this.entry.report.stopReason };
  }

  /** The agent's messages, separated by blank lines, when the turn has ended. Null without any. */
  get reply(): string | null {
    return this.hasEnded && this.replyTexts.length > 0 ? this.replyTexts.join(BLANK_LINE) : null;
  }

  addReplyText(text: string): void {
    if (this.replyTexts.length > 0) this.replyLength += BLANK_LINE.length;
    const rest = MAX_REPLY_LENGTH - this.replyLength;
    if (rest <= 0) return;
    this.replyTexts.push(truncateText(text, rest));
    this.replyLength += text.length;
  }

  /**
   * Changes the state and resolves when it is saved. A final state stays, and a change to the same is none.
   * @throws Error, see {@link SaveTurn}
   */
  async changeState(change: TurnChange): Promise<void> {
    const { report } = this.entry;
    const isChanged = Object.entries(change).some(([member, value]) => report[member as keyof TurnChange] !== value);
    if (this.hasEnded || !isChanged) return;
    const changed = { ...report, ...change, revision: report.revision + 1 };
    // The service's clock may have been set back in the meantime.
    if (changed.endedAt !== null) changed.endedAt = Math.max(changed.endedAt, changed.startedAt ?? 0);
    this.replaceEntry({ report: changed, ...(isFinalTurnState(changed.state) && { prompt: '' }) });
    await this.saveEntry();
  }

  /** Reports the same state with a later time, which is not written to the journal. @param at Unix ms in server time */
  recordActivity(at: number): void {
    const { report } = this.entry;
    if (this.hasEnded || at - (report.lastActivityAt ?? 0) < MIN_ACTIVITY_STEP_MS) return;
    this.entry = { ...this.entry, report: { ...report, lastActivityAt: at } };
    this.reportActivity(this.entry);
  }

  /** Marks that the agent may act on the prompt from now on. @throws Error: then the prompt must not be written */
  async markPrompted(startedAt: number): Promise<void> {
    if (this.hasEnded) throw new Error('The turn has ended before its prompt.');
    // Nobody reads the prompt again, which may contain large files.
    this.entry = { ...this.entry, isPrompted: true, prompt: '' };
    await this.changeState({ state: 'running', startedAt });
  }

  /** Reports the same state with a new revision, which a service that has called the turn lost stores. */
  async repeatReport(): Promise<void> {
    if (this.hasEnded) return;
    const { report } = this.entry;
    this.replaceEntry({ report: { ...report, revision: report.revision + 1 } });
    await this.saveEntry();
  }

  /** Resolves when the turn has ended or requires action, after `waitMs`, or when the signal aborts. */
  async waitForAnswer(waitMs: number, signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const timer = setTimeout(abort, waitMs);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    await this.waitUntil(() => this.hasEnded || this.state === 'requires_action', controller.signal);
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }

  waitForEnd(): Promise<void> {
    return this.waitUntil(() => this.hasEnded);
  }

  private waitUntil(isMet: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        this.listeners.delete(settleIfMet);
        resolve();
      };
      const settleIfMet = (): void => {
        if (isMet() || signal?.aborted) settle();
      };
      this.listeners.add(settleIfMet);
      signal?.addEventListener('abort', settle, { once: true });
      settleIfMet();
    });
  }

  private replaceEntry(change: Partial<TurnEntry>): void {
    this.entry = { ...this.entry, ...change };
    for (const listener of this.listeners) listener();
  }

  /** Saves one state after the other, so that an older one never replaces a newer one. */
  private saveEntry(): Promise<void> {
    const { entry } = this;
    const save = this.lastSave.then(() => this.saveTurn(entry));
    this.lastSave = save.catch(() => undefined);
    return save;
  }
}
