import { recordStreamEvent } from './conformance';
import { waitFor } from './wait-for';

/** Event as the client has received it. */
export interface ReceivedEvent {
  /** Cursor */
  id: string;
  type: string;
  data: any;
}

export interface OpenOptions {
  lastEventId?: string;
  headers?: Record<string, string>;
}

/** Client of an event stream. Parses what the service sends, and shares no code with it. */
export class EventStreamClient {
  /** Without `stream.opened`. */
  readonly events: ReceivedEvent[] = [];
  /** Last id, also of blocks without an event. */
  lastEventId = '';
  opened: ReceivedEvent | null = null;
  comments = 0;
  retryMs: number | null = null;
  /** Resolves when the stream has ended or broken. */
  readonly ended: Promise<void>;
  hasEnded = false;

  private constructor(
    readonly response: Response,
    private readonly controller: AbortController,
  ) {
    this.ended = this.readBody().finally(() => {
      this.hasEnded = true;
    });
  }

  /** Resolves when the head of the response has arrived, and with an accepted stream when it is open. */
  static async open(url: string, token: string, options: OpenOptions = {}): Promise<EventStreamClient> {
    const controller = new AbortController();
    const headers: Record<string, string> = {
      Accept: 'text/event-stream',
      Authorization: `Bearer ${token}`,
      ...(options.lastEventId !== undefined && { 'Last-Event-ID': options.lastEventId }),
      ...options.headers,
    };
    const response = await fetch(url, { headers, signal: controller.signal });
    const client = new EventStreamClient(response, controller);
    if (response.status === 200) await waitFor(() => expect(client.opened).not.toBeNull(), 20_000);
    return client;
  }

  /** Ids of the received events, which are those of webhooks. */
  get eventIds(): string[] {
    return this.events.map(({ data }) => data.id);
  }

  /** Resolves with all events when there are this many. */
  waitForEvents(count: number, withinMs = 20_000): Promise<ReceivedEvent[]> {
    return waitFor(() => {
      expect(this.events).toHaveLength(count);
      return this.events;
    }, withinMs);
  }

  async close(): Promise<void> {
    this.controller.abort();
    await this.ended;
  }

  private async readBody(): Promise<void> {
    const decoder = new TextDecoder();
    let unread = '';
    try {
      for await (const chunk of this.response.body ?? []) {
        unread += decoder.decode(chunk, { stream: true });
        const blocks = unread.split('\n\n');
        unread = blocks.pop()!;
        for (const block of blocks) this.readBlock(block);
      }
    } catch {
      // Closed by this client, or broken: what has arrived counts.
    }
  }

  private readBlock(block: string): void {
    // Readers that know the line breaks of Unicode, such as Python's `splitlines`, see the same lines.
    for (const lineBreak of '\v\f\x1c\x1d\x1e\x85\u2028\u2029') expect(block).not.toContain(lineBreak);
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon === 0) this.comments += 1;
      else fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
    }
    if (fields.has('id')) this.lastEventId = fields.get('id')!;
    if (fields.has('retry')) this.retryMs = Number(fields.get('retry'));
    if (!fields.has('data')) return;
    const event = {
      id: this.lastEventId,
      type: fields.get('event') ?? 'message',
      data: JSON.parse(fields.get('data')!),
    };
    recordStreamEvent(this.response.url, event.type, event.data);
    if (event.type === 'stream.opened') this.opened = event;
    else this.events.push(event);
  }
}
