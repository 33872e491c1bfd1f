import { Injectable } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { Clock } from '../../common/clock';
import { canStream, EventPayloadService } from '../event-access';
import { EventContentService } from './event-content.service';
import { EventCursorService, isSessionPlace, type EventPlace } from './event-cursor.service';
import type { EventPage, LoggedEvent } from './event-log.repository';
import type { EventStream } from './event-stream';
import { formatEvent } from './open-stream';

/** Bytes after which a stream gets the rest of a page only when its client has read. */
const MAX_WRITE_BYTES = 262_144;

/** Page of events after a place, with the texts that several streams share. */
interface RenderedPage {
  place: EventPlace;
  page: EventPage;
  /** Payloads that not all streams get, by what they depend on, and by event id */
  payloads: Map<string, Map<string, string>>;
  /** Events that are the same for all recipients, by id */
  texts: Map<string, string>;
}

/** Writes pages of events to streams, as the recipient of each stream sees them. */
@Injectable()
export class EventPageWriter {
  private readonly lags: Histogram;

  constructor(
    private readonly eventCursors: EventCursorService,
    private readonly eventPayloadService: EventPayloadService,
    private readonly eventContentService: EventContentService,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    this.lags = new Histogram({
      name: 'event_stream_lag_seconds',
      help: 'Time from the creation of an event until this instance sends it to its streams',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers: [registry],
    });
  }

  /**
   * Writes the page to streams at the same place, and moves them to what follows it.
   * @returns the streams that have more to read
   */
  async writePage(streams: readonly EventStream[], page: EventPage): Promise<Set<EventStream>> {
    const rendered: RenderedPage = { place: streams[0]!.place, page, payloads: new Map(), texts: new Map() };
    const behindStreams = new Set<EventStream>();
    for (const stream of streams) {
      if (stream.isClosed) continue;
      // After a restore, clients learn from their cursors that events are missing.
      if (page.generation !== stream.generation) stream.end(null);
      else if (this.eventCursors.isExpired(stream.place)) {
        stream.end(this.eventCursors.encodePlace(stream.place, stream.generation));
      } else if (await this.writeEvents(stream, rendered)) behindStreams.add(stream);
    }
    const openForMs = this.clock.monotonicMs() - Math.min(...streams.map(({ openedAt }) => openedAt));
    for (const event of page.events) this.observeLag(event, openForMs);
    return behindStreams;
  }

  /** Ends streams that have missed too many events. Their clients resume, and learn that their cursor has expired. */
  endStreams(streams: readonly EventStream[]): void {
    for (const stream of streams) stream.end(this.eventCursors.encodePlace(stream.place, stream.generation));
  }

  /** Returns whether the stream has more to read. */
  private async writeEvents(stream: EventStream, rendered: RenderedPage): Promise<boolean> {
    const { place, page } = rendered;
    const { types, recipient } = stream;
    const visibleEvents = page.events.filter(({ type }) => (types?.has(type) ?? true) && canStream(recipient, type));
    const payloads = await this.renderPayloads(stream, visibleEvents, rendered);
    const visibleIds = new Set(visibleEvents.map(({ id }) => id));
    let text = '';
    let bytes = 0;
    let last: LoggedEvent | undefined;
    for (const event of page.events) {
      if (bytes >= MAX_WRITE_BYTES) break;
      last = event;
      if (!visibleIds.has(event.id)) continue;
      const eventText = this.renderEvent(event, payloads.get(event.id), rendered);
      text += eventText;
      bytes += Buffer.byteLength(eventText);
    }
    stream.place = getPlaceAfter(place, page, last);
    if (text) stream.write(text);
    if (stream.sessionId !== null && last?.type === 'session.deleted') stream.end(null);
    return page.isFull || last !== page.events.at(-1);
  }

  private async renderPayloads(stream: EventStream, events: LoggedEvent[], { payloads }: RenderedPage) {
    const { recipient, types, contentEncoding, caller } = stream;
    const key = JSON.stringify([recipient, types && [...types], contentEncoding]);
    const known = payloads.get(key);
    if (known) return known;
    const found = await this.eventPayloadService.renderPayloads(events, recipient);
    if (contentEncoding) {
      const withContent = await this.eventContentService.renderPayloads(events, caller, contentEncoding);
      for (const [id, payload] of withContent) found.set(id, payload);
    }
    payloads.set(key, found);
    return found;
  }

  /** @param payload as this recipient sees it, if it isn't the same for all */
  private renderEvent(event: LoggedEvent, payload: string | undefined, { place, page, texts }: RenderedPage): string {
    const known = payload === undefined ? texts.get(event.id) : undefined;
    if (known !== undefined) return known;
    const cursor = this.eventCursors.encodePlace(getPlaceAfter(place, page, event), page.generation);
    const text = formatEvent(cursor, event.type, `{"id":"${event.id}",${(payload ?? event.payload).slice(1)}`);
    if (payload === undefined) texts.set(event.id, text);
    return text;
  }

  /** Leaves out events from before the streams were opened: their clients were away. */
  private observeLag({ payload }: LoggedEvent, openForMs: number): void {
    const { timestamp } = JSON.parse(payload) as { timestamp: number };
    const lagMs = Math.max(0, this.clock.now() - timestamp);
    if (lagMs <= openForMs) this.lags.observe(lagMs / 1_000);
  }
}

/** Returns the place after an event of the page, or after the whole page if nothing of it follows. */
function getPlaceAfter(place: EventPlace, page: EventPage, event: LoggedEvent | undefined): EventPlace {
  const isEnd = !page.isFull && event === page.events.at(-1);
  if (isSessionPlace(place)) {
    return { ...place, after: event?.key.position ?? place.after, at: isEnd ? page.readAt : place.at };
  }
  const { until, untilAt } = place.page ?? { until: page.snapshot, untilAt: page.readAt };
  return isEnd
    ? { ...place, after: until, at: untilAt, page: null }
    : { ...place, page: { until, untilAt, last: event!.key } };
}
