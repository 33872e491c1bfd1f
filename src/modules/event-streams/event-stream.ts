import type { DeltaKind } from '@external-api/protocol';
import type { Response } from 'express';
import type { Scope } from '../../access/auth';
import type { EventType } from '../../core/events';
import type { ContentEncoding } from './event-content.service';
import { isSessionPlace, type EventPlace } from './event-cursor.service';
import { OpenStream, type OpenStreamOptions } from './open-stream';

/** What a stream follows: the events of an account, or of one of its sessions. */
export interface StreamSource {
  accountId: string;
  sessionId: string | null;
}

export interface EventStreamOptions extends OpenStreamOptions, StreamSource {
  /** null for all that the recipient may see */
  types: ReadonlySet<EventType> | null;
  /** Encoding of the content that events of the stream contain; null: none */
  contentEncoding: ContentEncoding | null;
  /** Kinds of deltas that a stream with content sends. */
  deltaKinds: readonly DeltaKind[];
  place: EventPlace;
  generation: string;
  /** Whether there may be more than a few events after the place. */
  isBehind: boolean;
}

/** Stream of stored events, and its place in them. */
export class EventStream extends OpenStream implements EventStreamOptions {
  readonly sessionId: string | null;
  readonly types: ReadonlySet<EventType> | null;
  readonly contentEncoding: ContentEncoding | null;
  readonly deltaKinds: readonly DeltaKind[];
  readonly generation: string;
  place: EventPlace;
  isBehind: boolean;

  constructor(response: Response, options: EventStreamOptions) {
    super(response, options);
    this.sessionId = options.sessionId;
    this.types = options.types;
    this.contentEncoding = options.contentEncoding;
    this.deltaKinds = options.deltaKinds;
    this.generation = options.generation;
    this.place = options.place;
    this.isBehind = options.isBehind;
  }

  /** Events of the account each need the scope of their record. */
  get requiredScope(): Scope | null {
    return this.sessionId === null ? null : 'sessions:read';
  }

  /** Streams with the same key read the same page next. */
  get placeKey(): string {
    const { place } = this;
    if (isSessionPlace(place)) return `${place.sessionId} ${place.after}`;
    return JSON.stringify([place.accountId, place.after, place.page]);
  }
}
