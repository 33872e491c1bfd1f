import type { AccountApi } from '../content/account-api';
import { followEvents } from '../content/follow-events';
import type { InvocationRecord } from '../content/records';
import { explainCallError } from '../content/relayed-call';
import { ServiceError } from '../lib/api-client';
import { decodeBase64, OutputText } from './output-text';

type StreamName = 'stdout' | 'stderr';

interface OutputPart {
  stream: StreamName;
  offset: number;
  /** Base64. */
  data: string;
}

interface ReadOutput {
  offset: number;
  nextOffset: number;
  totalBytes: number;
  data: string;
}

/** Maximum that one call reads. Of longer output, the end is shown. */
const MAX_READ_BYTES = 262_144;
const CHANGE_INTERVAL_MS = 100;

export const isEnded = ({ state }: InvocationRecord): boolean => !['starting', 'running', 'lost'].includes(state);

const isRunning = ({ state }: InvocationRecord): boolean => ['starting', 'running'].includes(state);

/** Follows the output of an invocation: what was written before is read by offset, the rest arrives live. */
export class InvocationFollower {
  stdout = new OutputText();
  stderr = new OutputText();
  problem = '';
  private readonly closing = new AbortController();
  /** Live output that waits while earlier output is read. */
  private waiting: OutputPart[] | null = [];
  /** Streams of which live output has left something out. The next read begins them anew. */
  private readonly gaps = new Set<StreamName>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onChange called at most ten times per second */
  constructor(
    private readonly api: AccountApi,
    private readonly path: string,
    public record: InvocationRecord,
    private readonly onChange: () => void,
  ) {}

  follow(): void {
    if (!isRunning(this.record)) {
      void this.readEarlierOutput();
      return;
    }
    const handlers = {
      onEvent: ({ type, data }: { type: string; data: unknown }) => this.handleEvent(type, data),
      onReset: () => void this.readEarlierOutput(),
      onStateChange: () => undefined,
    };
    followEvents(this.api, `${this.path}/events`, handlers, this.closing.signal);
  }

  stop(): void {
    this.closing.abort();
    clearTimeout(this.timer);
  }

  private handleEvent(type: string, data: unknown): void {
    if (type === 'output') {
      const part = data as OutputPart;
      if (this.waiting) this.waiting.push(part);
      else this.addPart(part);
    } else if (type === 'invocation.ended') {
      this.record = (data as { data: InvocationRecord }).data;
      // The stream of a lost command ends, too: following it would open it again and again.
      this.closing.abort();
      void this.readEarlierOutput();
    }
    this.announceChange();
  }

  private addPart({ stream, offset, data }: OutputPart): void {
    if (offset > this[stream].nextOffset) this.gaps.add(stream);
    this[stream].addBytes(offset, decodeBase64(data));
    this.announceChange();
  }

  /** Reads what the page doesn't have yet, while live output waits. */
  private async readEarlierOutput(): Promise<void> {
    this.waiting ??= [];
    try {
      await Promise.all((['stdout', 'stderr'] as const).map((stream) => this.readStream(stream)));
      this.problem = '';
    } catch (error) {
      // A command that hasn't started has no output.
      const isNotStarted = error instanceof ServiceError && error.deviceErrorCode === 'output_not_found';
      if (!isNotStarted || isEnded(this.record)) {
        this.problem = explainCallError(error, 'The output couldn’t be read. Reload the page.');
      }
    }
    for (const part of this.waiting ?? []) this.addPart(part);
    this.waiting = null;
    this.announceChange();
  }

  private async readStream(stream: StreamName): Promise<void> {
    const isAnew = this.gaps.has(stream);
    const output = isAnew ? new OutputText() : this[stream];
    let offset = output.nextOffset;
    for (;;) {
      const query = new URLSearchParams({ stream, offset: String(offset), limit: String(MAX_READ_BYTES) });
      const path = `${this.path}/output?${query.toString()}`;
      const { offset: from, nextOffset, totalBytes, data } = await this.api.getResult<ReadOutput>(path);
      const isFarBehind = totalBytes - offset > 2 * MAX_READ_BYTES;
      if (isFarBehind) {
        offset = totalBytes - MAX_READ_BYTES;
        continue;
      }
      output.addBytes(from, decodeBase64(data));
      if (nextOffset >= totalBytes || nextOffset <= offset) break;
      offset = nextOffset;
    }
    // Another read may have ended before, after which live output was added, or has left something out.
    if (!isAnew && this.gaps.has(stream)) return this.readStream(stream);
    if (!isAnew || output.nextOffset < this[stream].nextOffset) return;
    this[stream] = output;
    this.gaps.delete(stream);
  }

  private announceChange(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.onChange();
    }, CHANGE_INTERVAL_MS);
  }
}
