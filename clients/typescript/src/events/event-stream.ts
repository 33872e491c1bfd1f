import { parseJson } from '../http/response.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { sleep, type LinkedSignal } from '../http/abort.ts';
import type { Transport } from '../http/transport.ts';
import type { EventType } from '../types.ts';
import { ServerSentEventParser, type ServerSentEvent } from './sse-parser.ts';

/** The service sends a comment every 15 seconds. Two may be late. */
const DEFAULT_SILENCE_TIMEOUT_MS = 45_000;
const DEFAULT_RECONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 30_000;
/** How often a stream is opened that sends no first event, because of a buffering proxy for example. */
const MAX_OPENINGS = 3;

export type DeltaKind = 'message' | 'thought' | 'tool' | 'plan';

export interface EventOptions {
  /** Sends the events of this session only. */
  sessionId?: string | undefined;
  /** `cursor` of an event: the stream begins after it. By default, the stream begins now. */
  after?: string | undefined;
  /** Event types. By default, all that the token may see. */
  types?: readonly EventType[] | undefined;
  /** Adds the content of messages and permission requests, and `delta` events. Only with `sessionId`. */
  content?: 'plaintext' | 'sealed' | undefined;
  /**
   * Kinds of `delta` events. Only with `content`. Default: `message`. The others show what the agent does beside its
   * messages: `thought` is text, and `content` of `tool` and `plan` is JSON that replaces the one before.
   */
  deltas?: readonly DeltaKind[] | undefined;
  /** Ends the stream: the iteration rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Is called when the connection ends, before it is opened again. Without an error, the service has ended it. */
  onDisconnect?: ((error: Error | undefined) => void) | undefined;
  /** How long the connection may be silent before it counts as broken. Default: 45,000. */
  silenceTimeoutMs?: number | undefined;
}

/**
 * An event. `stream.opened` is the first one of a stream: records that are listed after it miss nothing. `delta` is a
 * part of a message that an agent is writing, or with `data.kind` what else it does; it has neither an `id` nor a `timestamp`.
 */
export interface StreamEvent<Data = Record<string, unknown>> {
  /** `evt_…`, which is also the `webhook-id`. Null for `stream.opened` and live events. */
  id: string | null;
  type: EventType | 'stream.opened' | 'delta' | (string & {});
  /** Unix time in milliseconds, by the service's clock. */
  timestamp: number | null;
  data: Data;
  /** Resumes a stream after this event: {@link EventOptions.after}. */
  cursor: string | undefined;
}

/**
 * Reads events over connections that are opened again whenever they end, each after the last complete event of the one
 * before. Throws {@link ApiError} `stream_expired` if the cursor is too old: list the records then, and open a stream
 * without a cursor.
 */
export async function* readEvents(transport: Transport, options: EventOptions): AsyncGenerator<StreamEvent, void> {
  const path =
    options.sessionId === undefined ? '/events' : `/sessions/${encodeURIComponent(options.sessionId)}/events`;
  const query = { types: options.types?.join(','), content: options.content, deltas: options.deltas?.join(',') };
  const connection = new EventConnection(transport, path, query, options);
  let isOpened = false;
  for await (const { id, type, data } of connection.readAll()) {
    if (type === 'stream.opened' && isOpened) continue;
    isOpened ||= type === 'stream.opened';
    const body = parseJson(data) as Partial<StreamEvent> & Record<string, unknown>;
    const isLive = type === 'delta' || type === 'output';
    const event = isLive
      ? { id: null, type, timestamp: null, data: body, cursor: id }
      : { id: body.id ?? null, type, timestamp: body.timestamp ?? null, data: body.data ?? {}, cursor: id };
    yield event;
    // There is nothing to connect to any more.
    if (type === 'session.deleted' && options.sessionId !== undefined) return;
  }
}

type ConnectionOptions = Pick<EventOptions, 'after' | 'signal' | 'onDisconnect' | 'silenceTimeoutMs'>;

/** A stream that is connected again and again. */
export class EventConnection {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: Record<string, string | undefined>;
  readonly #options: ConnectionOptions;
  readonly #silenceMs: number;
  #lastEventId: string | undefined;
  #reconnectMs = DEFAULT_RECONNECT_MS;
  #failures = 0;
  #hasReceived = false;

  constructor(
    transport: Transport,
    path: string,
    query: Record<string, string | undefined>,
    options: ConnectionOptions,
  ) {
    this.#transport = transport;
    this.#path = path;
    this.#query = query;
    this.#options = options;
    this.#silenceMs = options.silenceTimeoutMs ?? DEFAULT_SILENCE_TIMEOUT_MS;
    this.#lastEventId = options.after;
  }

  async *readAll(): AsyncGenerator<ServerSentEvent, void> {
    const link = this.#transport.link(this.#options.signal);
    const { signal } = link;
    try {
      for (;;) {
        let failure: ApiError | undefined;
        try {
          yield* this.#readOnce();
          if (!this.#hasReceived) failure = new ConnectionError('The stream ended before its first event.', undefined);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ApiError)) throw error;
          failure = error;
        }
        if (failure && !this.#isTransient(failure)) throw failure;
        this.#options.onDisconnect?.(failure);
        await sleep(this.#computeDelay(failure), signal);
      }
    } finally {
      link.release();
    }
  }

  /** Reads one connection to its end. */
  async *#readOnce(): AsyncGenerator<ServerSentEvent, void> {
    const { response, link } = await this.#open();
    const reader = response.body?.getReader();
    try {
      const parser = new ServerSentEventParser(this.#lastEventId);
      while (reader) {
        const { done, value } = await this.#readChunk(reader, link);
        if (done) return;
        for (const event of parser.push(value)) {
          this.#hasReceived = true;
          this.#failures = 0;
          // An event that the caller has is not sent again, whatever happens next.
          this.#lastEventId = event.id;
          yield event;
        }
        this.#lastEventId = parser.lastEventId;
        this.#reconnectMs = parser.retryMs ?? this.#reconnectMs;
      }
    } finally {
      link.abort(new Error('The stream was closed.'));
      link.release();
    }
  }

  #open() {
    const id = this.#lastEventId;
    return this.#transport.open(this.#path, {
      query: this.#query,
      headers: { accept: 'text/event-stream', ...(id ? { 'last-event-id': id } : {}) },
      signal: this.#options.signal,
      attemptTimeoutMs: this.#silenceMs,
      // Later attempts are those of readAll, so that the caller hears of them.
      ...(this.#hasReceived ? { maxRetries: 0 } : {}),
    });
  }

  async #readChunk(reader: ReadableStreamDefaultReader<Uint8Array>, link: LinkedSignal) {
    const silence = new Error(`The stream was silent for ${this.#silenceMs} ms. A proxy may be buffering it.`);
    link.setDeadline(this.#silenceMs, silence);
    try {
      return await reader.read();
    } catch (error) {
      throw new ConnectionError(`The stream broke: ${(error as Error).message}`, undefined, error);
    } finally {
      link.clearDeadline();
    }
  }

  #isTransient(error: ApiError): boolean {
    const isOutage =
      [0, 408, 429].includes(error.status) || error.status >= 500 || error.code === 'unexpected_response';
    return isOutage && (this.#hasReceived || this.#failures + 1 < MAX_OPENINGS);
  }

  #computeDelay(failure: ApiError | undefined): number {
    if (!failure) return this.#reconnectMs * (0.5 + Math.random() / 2);
    const backoff = Math.min(MAX_RECONNECT_MS, this.#reconnectMs * 2 ** Math.min(this.#failures++, 10));
    return (failure.retryAfterSeconds ?? 0) * 1_000 + Math.random() * backoff;
  }
}
