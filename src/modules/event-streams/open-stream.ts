import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Principal, Scope } from '../../access/auth';
import { escapeLineBreaks } from '../../common/json-line';
import { toEventRecipient, type EventRecipient } from '../event-access';

const MAX_UNSENT_BYTES = 1_048_576;
/** Live events are dropped beyond this, which is far less, so that they never cost a client its stream. */
const MAX_UNSENT_LIVE_BYTES = 262_144;
/** Time after which a client reconnects when its stream has ended. */
const RETRY_MS = 1_000;
/** Time in which a client must read the rest of a stream that has ended. Until then it counts as open. */
const END_TIMEOUT_MS = 5_000;
const NO_HEADERS: IncomingHttpHeaders = {};

export interface OpenStreamOptions {
  accountId: string;
  caller: Principal;
  /** Identifies the credential for the limits. */
  credentialId: string;
  /** Token of the caller, which is verified as long as the stream is open. Never logged. */
  token: string;
  /** Monotonic ms */
  openedAt: number;
}

/** Open response of a stream (`text/event-stream`). */
export abstract class OpenStream implements OpenStreamOptions {
  /** Scope that the caller must have as long as the stream is open; null: none */
  abstract readonly requiredScope: Scope | null;
  readonly accountId: string;
  readonly credentialId: string;
  readonly token: string;
  readonly openedAt: number;
  private verifiedCaller: Principal;
  private eventRecipient: EventRecipient;
  /** Monotonic ms of the last comment, or of the opening. */
  commentedAt: number;
  private writtenBytes = 0;
  /** Bytes that the client had read when the last comment was due; null if it had read all. */
  private stalledAtBytes: number | null = null;

  constructor(
    private readonly response: Response,
    options: OpenStreamOptions,
  ) {
    this.accountId = options.accountId;
    this.credentialId = options.credentialId;
    this.token = options.token;
    this.openedAt = options.openedAt;
    this.commentedAt = options.openedAt;
    this.verifiedCaller = options.caller;
    this.eventRecipient = toEventRecipient(options.caller);
  }

  get caller(): Principal {
    return this.verifiedCaller;
  }

  get recipient(): EventRecipient {
    return this.eventRecipient;
  }

  /** Called when the token was verified again: the scopes of an app's authorization may have changed. */
  updateCaller(caller: Principal): void {
    this.verifiedCaller = caller;
    this.eventRecipient = toEventRecipient(caller);
  }

  get isClosed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Whether the client has read enough to get live events. */
  get canWriteLiveEvent(): boolean {
    return !this.isClosed && this.response.writableLength <= MAX_UNSENT_LIVE_BYTES;
  }

  /** Whether the client has read enough to get more. */
  get canWrite(): boolean {
    return !this.isClosed && !this.response.writableNeedDrain;
  }

  /** @param onClosed called when the response has ended or the client has disconnected */
  onClose(onClosed: () => void): void {
    this.response.on('close', onClosed);
  }

  /** @param onDrained called whenever a client that had fallen behind has caught up */
  onDrain(onDrained: () => void): void {
    this.response.on('drain', onDrained);
  }

  /** Writes events or comments. Disconnects a client that leaves more than 1 MiB unread. */
  write(text: string): void {
    if (this.isClosed) return;
    this.response.write(text);
    if (this.writtenBytes === 0) releaseHeads(this.response);
    this.writtenBytes += Buffer.byteLength(text);
    if (this.response.writableLength > MAX_UNSENT_BYTES) this.disconnect();
  }

  /**
   * Writes an event that is stored nowhere, and so has no id. Returns false if it is dropped because the client is
   * behind.
   */
  writeLiveEvent(type: string, data: string): boolean {
    if (!this.canWriteLiveEvent) return false;
    this.write(formatEvent(null, type, data));
    return true;
  }

  /** Writes a comment, which keeps the connection open. Disconnects a client that has read nothing since the last. */
  writeComment(now: number): void {
    const readBytes = this.writtenBytes - this.response.writableLength;
    const isBehind = this.response.writableNeedDrain;
    if (isBehind && this.stalledAtBytes !== null && readBytes <= this.stalledAtBytes) return this.disconnect();
    this.stalledAtBytes = isBehind ? readBytes : null;
    this.commentedAt = now;
    this.write(':\n\n');
  }

  /**
   * Ends the stream.
   * @param lastEventId present place, from which the client resumes, empty for a stream without places; null if it must
   *   not reconnect
   */
  end(lastEventId: string | null): void {
    if (this.isClosed) return;
    const place = lastEventId ? `id: ${lastEventId}\n` : '';
    this.response.end(lastEventId === null ? '' : `retry: ${RETRY_MS}\n${place}\n`);
    const timer = setTimeout(() => this.disconnect(), END_TIMEOUT_MS).unref();
    this.onClose(() => clearTimeout(timer));
  }

  /** Ends the stream of a caller who may see nothing more, not even what has been written and not yet sent. */
  revoke(): void {
    if (this.response.writableLength > 0) this.disconnect();
    else this.end(null);
  }

  disconnect(): void {
    this.response.destroy();
  }
}

/**
 * Formats an event (HTML Standard, server-sent events).
 * @param data JSON, whose line breaks are escaped
 * @param id null for an event that can't be resumed from
 */
export function formatEvent(id: string | null, type: string, data: string): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${escapeLineBreaks(data)}\n\n`;
}

/** Members that Node's types lack. */
interface OutgoingHead {
  /** Head of the response. When it is sent, Node only asks whether it is there. */
  _header: string | null;
  [headers: symbol]: unknown;
}

/**
 * Frees the heads of a request and of its response, after the latter is sent: Node and Express keep them until the
 * response ends, and they are larger than everything else of an open stream (docs/performance.md#event-streams).
 */
function releaseHeads(response: ServerResponse): void {
  const { req: request } = response;
  request.rawHeaders = [];
  request.headers = NO_HEADERS;
  // The router's state, which calls the next handler.
  if ('next' in request) request.next = undefined;
  // The router's parsed URL, which it parses again if it is missing.
  if ('_parsedUrl' in request) request._parsedUrl = undefined;
  const head = response as unknown as OutgoingHead;
  head._header = 'sent';
  const headers = Object.getOwnPropertySymbols(response).find(({ description }) => description === 'kOutHeaders');
  if (headers) head[headers] = null;
}
