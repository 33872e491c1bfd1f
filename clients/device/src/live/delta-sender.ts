import {
  buildDeltaBinding,
  MIN_DELTA_INTERVAL_MS,
  sealContent,
  type DeltaMessage,
  type ProgressKind,
} from '@external-api/protocol';
import type { HostedSession } from '../history/session-history';
import type { LiveConnection } from './live-output-requests';

export const DELTA_TEXT_MEDIA_TYPE = 'text/plain; charset=utf-8';

/** Where a delta belongs: its turn, and the id that its message will have in the history. */
export interface DraftPlace {
  turnId: string;
  localId: string;
}

/** One delta before encryption. */
export interface DeltaPart extends DraftPlace {
  /** Absent for text of a message. */
  kind?: ProgressKind;
  n: number;
  mediaType: string;
  bytes: Uint8Array;
}

export interface DeltaSource {
  /** Whether anything waits to be sent. */
  hasPart(): boolean;
  /** Takes what is sent next. Called only after {@link hasPart}. */
  takePart(): DeltaPart;
  /** Returns undefined when nobody reads. */
  findConnection(): LiveConnection | undefined;
}

/** Encrypts and sends deltas of a session while somebody reads it, one after the other, within their rate. */
export class DeltaSender {
  private timer: NodeJS.Timeout | undefined;
  private isSending = false;
  private hasFailed = false;
  private lastSentAt = -Infinity;

  constructor(
    private readonly session: HostedSession,
    private readonly source: DeltaSource,
    private readonly onProblem: (problem: string) => void,
  ) {}

  /** Sends what waits soon, if somebody reads it. */
  scheduleDelta(): void {
    if (this.timer || this.isSending || !this.source.hasPart() || !this.source.findConnection()) return;
    const waitMs = Math.max(0, this.lastSentAt + MIN_DELTA_INTERVAL_MS - performance.now());
    this.timer = setTimeout(() => void this.sendDelta(), waitMs).unref();
  }

  private async sendDelta(): Promise<void> {
    this.timer = undefined;
    const connection = this.source.findConnection();
    if (!this.source.hasPart() || !connection) return;
    // A timer may fire a little early.
    const isTooEarly = performance.now() < this.lastSentAt + MIN_DELTA_INTERVAL_MS;
    if (connection.isCongested) this.lastSentAt = performance.now();
    if (connection.isCongested || isTooEarly) return this.scheduleDelta();
    this.isSending = true;
    try {
      await this.sealAndSend(this.source.takePart());
    } catch (error) {
      if (!this.hasFailed)
        this.onProblem(`The text of ${this.session.id} can't be sent live: ${(error as Error).message}`);
      this.hasFailed = true;
    } finally {
      this.lastSentAt = performance.now();
      this.isSending = false;
    }
    this.scheduleDelta();
  }

  private async sealAndSend({ turnId, localId, kind, n, mediaType, bytes }: DeltaPart): Promise<void> {
    const { accountId, id: sessionId, tag, dataKey } = this.session;
    const binding = buildDeltaBinding(accountId, tag, localId, n, kind);
    const content = await sealContent({ mediaType, bytes }, dataKey, binding);
    const message: DeltaMessage = { sessionId, turnId, localId, ...(kind && { kind }), n, content };
    this.source.findConnection()?.sendLiveMessage('delta', message);
  }
}
