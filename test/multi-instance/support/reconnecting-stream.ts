import { setTimeout as sleep } from 'node:timers/promises';
import { EventStreamClient, type ReceivedEvent } from '../../support/event-stream-client';

const PAUSE_MS = 100;

export interface ReconnectingStreamOptions {
  /** Called after 410 `stream_expired` when the stream is open again, without an id. Reads the records. */
  onExpired?: () => Promise<void>;
}

/** Reads a stream as a standard client does: opens it again wherever it ends, with its last id. */
export class ReconnectingStream {
  /** Statuses other than 200 that the service has answered. */
  readonly refusals = new Set<number>();
  private readonly received: ReceivedEvent[] = [];
  private lastEventId: string;
  private isClosed = false;
  private readonly ended: Promise<void>;

  private constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly options: ReconnectingStreamOptions,
    private current: EventStreamClient,
  ) {
    this.lastEventId = current.lastEventId;
    this.ended = this.readStreams();
  }

  static async open(url: string, token: string, options: ReconnectingStreamOptions = {}): Promise<ReconnectingStream> {
    return new ReconnectingStream(url, token, options, await EventStreamClient.open(url, token));
  }

  /** Events in the order of their arrival, over all connections. */
  get events(): ReceivedEvent[] {
    return [...this.received, ...this.current.events];
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.current.close();
    await this.ended;
  }

  private async readStreams(): Promise<void> {
    for (;;) {
      await this.current.ended;
      this.received.push(...this.current.events.splice(0));
      this.lastEventId = this.current.lastEventId || this.lastEventId;
      if (this.isClosed) return;
      if (this.current.response.status === 410) await this.openAnew();
      else await this.openStream({ lastEventId: this.lastEventId });
    }
  }

  private async openAnew(): Promise<void> {
    this.lastEventId = '';
    do await this.openStream({});
    while (this.current.response.status !== 200 && !this.isClosed);
    await this.options.onExpired?.();
  }

  /** Leaves the ended stream if the instance can't be reached. */
  private async openStream(options: { lastEventId?: string }): Promise<void> {
    await sleep(PAUSE_MS);
    this.current = await EventStreamClient.open(this.url, this.token, options).catch(() => this.current);
    const { status } = this.current.response;
    if (status !== 200) this.refusals.add(status);
  }
}
