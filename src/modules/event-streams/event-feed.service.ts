import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { Clock } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { EventOutboxService, type CommittedEvent } from '../../core/events';
import { ChangeSignals } from '../../core/redis';
import { canStream, EventPayloadService, type EventRecipient } from '../event-access';
import { EventCursorService, isSessionPlace, type EventPlace } from './event-cursor.service';
import { EventLogRepository, type AccountPlace, type EventPage, type LoggedEvent } from './event-log.repository';
import { EventStreamRegistry } from './event-stream-registry';
import { formatEvent, type EventStream } from './event-stream';

/** Signals may be lost, so all streams are read again after this time. */
const POLL_INTERVAL_MS = 2_000;
const PAGE_SIZE = 100;
/** Places that one statement reads. */
const MAX_PLACES = 200;
const SIGNAL_PREFIX = 'events/';

/**
 * Feeds streams from the log. A signal names the account, the session and the event that has committed; the event
 * itself is read. One statement serves all streams of the instance that are due, and streams at the same place share a
 * page. A client that reads slowly is served again when it has caught up.
 */
@Injectable()
export class EventFeedService implements OnApplicationBootstrap, OnApplicationShutdown {
  private dueStreams = new Set<EventStream>();
  /** Ids of the latest events that were read. With Redis, the signals of this instance arrive twice. */
  private readEventIds = new Set<string>();
  private readonly readTask = new PeriodicTask('event read', POLL_INTERVAL_MS, () => this.readDueStreams());
  private readonly pollTask = new PeriodicTask('event poll', POLL_INTERVAL_MS, () => {
    for (const stream of this.streams.listStreams()) this.dueStreams.add(stream);
    this.readTask.trigger();
  });
  private readonly lags: Histogram;

  constructor(
    private readonly streams: EventStreamRegistry,
    private readonly eventLog: EventLogRepository,
    private readonly eventCursors: EventCursorService,
    private readonly eventPayloadService: EventPayloadService,
    private readonly eventOutboxService: EventOutboxService,
    private readonly changeSignals: ChangeSignals,
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

  onApplicationBootstrap(): void {
    this.eventOutboxService.committedEvents.subscribe((events) => this.signalCommit(events));
    this.changeSignals.changedKeys.subscribe((key) => this.handleSignal(key));
    this.pollTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pollTask.stop();
    await this.readTask.stop();
  }

  /** Reads the events after the stream's place, at once and whenever the stream has caught up. */
  addStream(stream: EventStream): void {
    stream.onDrain(() => this.readStream(stream));
    this.readStream(stream);
  }

  private readStream(stream: EventStream): void {
    this.dueStreams.add(stream);
    this.readTask.trigger();
  }

  /** Sends one signal for each session of the transaction, and one for its other events. */
  private signalCommit(events: readonly CommittedEvent[]): void {
    const lastEvents = new Map(events.map((event) => [`${event.accountId}/${event.sessionId ?? ''}`, event.id]));
    for (const [key, id] of lastEvents) this.changeSignals.sendSignal(`${SIGNAL_PREFIX}${key}/${id}`);
  }

  private handleSignal(key: string): void {
    if (!key.startsWith(SIGNAL_PREFIX)) return;
    const [accountId = '', sessionId = '', eventId = ''] = key.slice(SIGNAL_PREFIX.length).split('/');
    if (this.readEventIds.has(eventId)) return;
    for (const stream of this.streams.getAccountStreams(accountId)) {
      if (stream.sessionId === null || stream.sessionId === sessionId) this.readStream(stream);
    }
  }

  /** Returns whether more streams are due. */
  private async readDueStreams(): Promise<boolean> {
    const streamsByPlace = new Map<string, EventStream[]>();
    for (const stream of this.dueStreams) {
      if (streamsByPlace.size === MAX_PLACES && !streamsByPlace.has(stream.placeKey)) continue;
      this.dueStreams.delete(stream);
      if (!stream.canWrite) continue;
      const atPlace = streamsByPlace.get(stream.placeKey);
      if (atPlace) atPlace.push(stream);
      else streamsByPlace.set(stream.placeKey, [stream]);
    }
    const groups = [...streamsByPlace.values()];
    const pages = await this.readPages(groups.map(([first]) => first!.place));
    this.readEventIds = new Set(pages.flatMap(({ events }) => events.map(({ id }) => id)));
    for (const [index, group] of groups.entries()) await this.deliverPage(group, pages[index]!);
    return this.dueStreams.size > 0;
  }

  private async readPages(places: EventPlace[]): Promise<EventPage[]> {
    const sessionPlaces = places.filter(isSessionPlace);
    const accountPlaces = places.filter((place): place is AccountPlace => !isSessionPlace(place));
    const sessionPages = sessionPlaces.length ? await this.eventLog.readSessions(sessionPlaces, PAGE_SIZE) : [];
    const accountPages = accountPlaces.length ? await this.eventLog.readAccounts(accountPlaces, PAGE_SIZE) : [];
    return places.map((place) => (isSessionPlace(place) ? sessionPages : accountPages).shift()!);
  }

  /** Sends the page to streams at the same place, and moves them to the end of it. */
  private async deliverPage(group: EventStream[], page: EventPage): Promise<void> {
    const { place } = group[0]!;
    const texts = new Map<string, string>();
    for (const stream of group) {
      // After a restore, clients learn from their cursors that events are missing.
      if (page.generation !== stream.generation) stream.end(null);
      const events = page.events.filter(
        ({ type }) => (stream.types?.has(type) ?? true) && canStream(stream.recipient, type),
      );
      const text = events.length > 0 ? await this.renderEvents(events, stream.recipient, place, page, texts) : '';
      stream.place = getPlaceAfter(place, page, page.events.at(-1));
      if (text) stream.write(text);
      if (stream.sessionId !== null && page.events.at(-1)?.type === 'session.deleted') stream.end(null);
      if (page.events.length === PAGE_SIZE || hasMore(place)) this.dueStreams.add(stream);
    }
    const openForMs = this.clock.monotonicMs() - Math.min(...group.map(({ openedAt }) => openedAt));
    for (const event of page.events) this.observeLag(event, openForMs);
  }

  /** @param texts rendered events of the page that are the same for all recipients, by event id */
  private async renderEvents(
    events: LoggedEvent[],
    recipient: EventRecipient,
    place: EventPlace,
    page: EventPage,
    texts: Map<string, string>,
  ): Promise<string> {
    const payloads = await this.eventPayloadService.renderPayloads(events, recipient);
    const renderEvent = (event: LoggedEvent, payload: string) => {
      const cursor = this.eventCursors.encodePlace(getPlaceAfter(place, page, event), page.generation);
      return formatEvent(cursor, event.type, `{"id":"${event.id}",${payload.slice(1)}`);
    };
    let text = '';
    for (const event of events) {
      const payload = payloads.get(event.id);
      const rendered = payload
        ? renderEvent(event, payload)
        : (texts.get(event.id) ?? renderEvent(event, event.payload));
      if (!payload) texts.set(event.id, rendered);
      text += rendered;
    }
    return text;
  }

  /** Leaves out events from before the streams were opened: their clients were away. */
  private observeLag({ payload }: LoggedEvent, openForMs: number): void {
    const { timestamp } = JSON.parse(payload) as { timestamp: number };
    const lagMs = Math.max(0, this.clock.now() - timestamp);
    if (lagMs <= openForMs) this.lags.observe(lagMs / 1_000);
  }
}

const hasMore = (place: EventPlace): boolean => !isSessionPlace(place) && place.page !== null;

/** Returns the place after an event of the page, or, if the page ended before its limit, after the whole page. */
function getPlaceAfter(place: EventPlace, page: EventPage, event: LoggedEvent | undefined): EventPlace {
  if (isSessionPlace(place)) return event ? { ...place, after: event.key.position } : place;
  const until = place.page?.until ?? page.snapshot;
  const isEnd = page.events.length < PAGE_SIZE && event === page.events.at(-1);
  return isEnd ? { ...place, after: until, page: null } : { ...place, page: { until, last: event!.key } };
}
