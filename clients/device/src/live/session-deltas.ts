import { buildDeltaBinding, MAX_DELTA_BYTES, MIN_DELTA_INTERVAL_MS, sealContent } from '@external-api/protocol';
import type { HostedSession } from '../history/session-history';
import type { LiveOutputRequests } from './live-output-requests';

const DELTA_MEDIA_TYPE = 'text/plain; charset=utf-8';

export interface SessionDeltasDependencies {
  liveOutput: LiveOutputRequests;
  onProblem: (problem: string) => void;
}

/** Where a text belongs: its turn, and the id that its message will have in the history. */
export interface DraftPlace {
  turnId: string;
  localId: string;
}

/**
 * Sends what an agent writes in a session, while somebody reads it (docs/protocol/agents.md#deltas). Callers never wait
 * for it. Text that isn't sent yet waits for the next delta, so that a reader who comes later gets the whole message.
 */
export class SessionDeltas {
  /** The message that the agent writes. */
  private current: MessageDraft | undefined;
  /** The message before it, until it is stored. The rest of its text goes first. */
  private completed: MessageDraft | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isSending = false;
  private hasFailed = false;
  private lastSentAt = -Infinity;

  constructor(
    private readonly session: HostedSession,
    private readonly dependencies: SessionDeltasDependencies,
  ) {}

  addText(place: DraftPlace, text: string): void {
    if (this.current?.place.localId !== place.localId) this.current = new MessageDraft(place);
    this.current.addText(text);
    this.scheduleDelta();
  }

  /** The message is on its way to the history. Until it is there, the rest of its text goes to those who read now. */
  completeMessage(localId: string): void {
    if (this.current?.place.localId !== localId) return;
    this.completed = this.findConnection() ? this.current : undefined;
    this.current = undefined;
  }

  /** Sends nothing more of a message that is stored. */
  discardMessage(localId: string): void {
    if (this.completed?.place.localId === localId) this.completed = undefined;
  }

  /** Sends waiting text soon, if somebody reads it. */
  scheduleDelta(): void {
    if (this.timer || this.isSending || !this.findDraft() || !this.findConnection()) return;
    const waitMs = Math.max(0, this.lastSentAt + MIN_DELTA_INTERVAL_MS - performance.now());
    this.timer = setTimeout(() => void this.sendDelta(), waitMs).unref();
  }

  private async sendDelta(): Promise<void> {
    this.timer = undefined;
    const draft = this.findDraft();
    const connection = this.findConnection();
    if (!draft || !connection) return;
    // A timer may fire a little early.
    const isTooEarly = performance.now() < this.lastSentAt + MIN_DELTA_INTERVAL_MS;
    if (connection.isCongested) this.lastSentAt = performance.now();
    if (connection.isCongested || isTooEarly) return this.scheduleDelta();
    this.isSending = true;
    try {
      await this.sendNextPart(draft);
    } catch (error) {
      if (!this.hasFailed)
        this.dependencies.onProblem(`The text of ${this.session.id} can't be sent live: ${(error as Error).message}`);
      this.hasFailed = true;
    } finally {
      this.lastSentAt = performance.now();
      this.isSending = false;
    }
    this.scheduleDelta();
  }

  private async sendNextPart(draft: MessageDraft): Promise<void> {
    const { accountId, id: sessionId, tag, dataKey } = this.session;
    const { turnId, localId } = draft.place;
    const { n, bytes } = draft.takeDelta();
    const binding = buildDeltaBinding(accountId, tag, localId, n);
    const content = await sealContent({ mediaType: DELTA_MEDIA_TYPE, bytes }, dataKey, binding);
    this.findConnection()?.sendLiveMessage('delta', { sessionId, turnId, localId, n, content });
  }

  private findConnection() {
    return this.dependencies.liveOutput.findSessionConnection(this.session.id);
  }

  /** Returns the message of which text waits. */
  private findDraft(): MessageDraft | undefined {
    return [this.completed, this.current].find((draft) => draft?.hasText);
  }
}

/** The text of one message that isn't sent yet. */
class MessageDraft {
  private text = '';
  private nextNumber = 0;

  constructor(readonly place: DraftPlace) {}

  get hasText(): boolean {
    return this.text !== '';
  }

  addText(text: string): void {
    this.text += text;
  }

  /** Takes as many whole characters as a delta may have. */
  takeDelta(): { n: number; bytes: Uint8Array } {
    const target = new Uint8Array(MAX_DELTA_BYTES);
    const { read, written } = new TextEncoder().encodeInto(this.text, target);
    this.text = this.text.slice(read);
    return { n: this.nextNumber++, bytes: target.subarray(0, written) };
  }
}
