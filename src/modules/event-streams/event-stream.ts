import type { Response } from 'express';
import type { Principal } from '../../access/auth';
import type { EventType } from '../../core/events';
import { toEventRecipient, type EventRecipient } from '../event-access';
import type { ContentEncoding } from './event-content.service';
import { isSessionPlace, type EventPlace } from './event-cursor.service';

const MAX_UNSENT_BYTES = 1_048_576;
/** Time after which a client reconnects when its stream has ended. */
const RETRY_MS = 1_000;

/** What a stream follows: the events of an account, or of one of its sessions. */
export interface EventSource {
  accountId: string;
  sessionId: string | null;
}

export interface EventStreamOptions extends EventSource {
  caller: Principal;
  /** Identifies the credential for the limits. */
  credentialId: string;
  /** Token of the caller, which is verified as long as the stream is open. Never logged. */
  token: string;
  /** null for all that the recipient may see */
  types: ReadonlySet<EventType> | null;
  /** Encoding of the content that events of the stream contain; null: none */
  contentEncoding: ContentEncoding | null;
  place: EventPlace;
  generation: string;
  /** Whether there may be more than a few events after the place. */
  isBehind: boolean;
  /** Monotonic ms */
  openedAt: number;
}

/** Open response of a stream (`text/event-stream`), and its place in the events. */
export class EventStream implements EventStreamOptions {
  readonly accountId: string;
  readonly sessionId: string | null;
  readonly credentialId: string;
  readonly token: string;
  readonly types: ReadonlySet<EventType> | null;
  readonly contentEncoding: ContentEncoding | null;
  readonly generation: string;
  readonly openedAt: number;
  private verifiedCaller: Principal;
  private eventRecipient: EventRecipient;
  place: EventPlace;
  isBehind: boolean;
  /** Monotonic ms of the last comment, or of the opening. */
  commentedAt: number;
  /** Whether the client had read nothing when the last comment was due. */
  isStalled = false;

  constructor(
    private readonly response: Response,
    options: EventStreamOptions,
  ) {
    this.accountId = options.accountId;
    this.sessionId = options.sessionId;
    this.credentialId = options.credentialId;
    this.token = options.token;
    this.types = options.types;
    this.contentEncoding = options.contentEncoding;
    this.generation = options.generation;
    this.openedAt = options.openedAt;
    this.commentedAt = options.openedAt;
    this.verifiedCaller = options.caller;
    this.eventRecipient = toEventRecipient(options.caller);
    this.place = options.place;
    this.isBehind = options.isBehind;
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

  /** Streams with the same key read the same page next. */
  get placeKey(): string {
    const { place } = this;
    if (isSessionPlace(place)) return `${place.sessionId} ${place.after}`;
    return JSON.stringify([place.accountId, place.after, place.page]);
  }

  get isClosed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Whether the client has read enough to get more. */
  get canWrite(): boolean {
    return !this.isClosed && !this.response.writableNeedDrain;
  }

  /** @param onClosed called when the response has ended or the client has disconnected */
  onClose(onClosed: () => void): void {
    this.response.once('close', onClosed);
  }

  /** @param onDrained called whenever a client that had fallen behind has caught up */
  onDrain(onDrained: () => void): void {
    this.response.on('drain', onDrained);
  }

  /** Writes events or comments. Disconnects a client that leaves more than 1 MiB unread. */
  write(text: string): void {
    if (this.isClosed) return;
    this.response.write(text);
    if (this.response.writableLength > MAX_UNSENT_BYTES) this.disconnect();
  }

  /** Writes a comment, which keeps the connection open. Disconnects a client that has read nothing since the last. */
  writeComment(now: number): void {
    if (this.isStalled && this.response.writableNeedDrain) return this.disconnect();
    this.isStalled = this.response.writableNeedDrain;
    this.commentedAt = now;
    this.write(':\n\n');
  }

  /**
   * Ends the stream.
   * @param lastEventId present place, from which the client resumes; null if it must not reconnect
   */
  end(lastEventId: string | null): void {
    if (this.isClosed) return;
    this.response.end(lastEventId === null ? '' : `retry: ${RETRY_MS}\nid: ${lastEventId}\n\n`);
  }

  disconnect(): void {
    this.response.destroy();
  }
}

/** Formats an event (HTML Standard, server-sent events). JSON contains no line breaks. */
export function formatEvent(id: string, type: string, data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}
