import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../../common/periodic-task';
import { EventOutboxService, type CommittedEvent } from '../../core/events';
import { ChangeSignals } from '../../core/redis';
import { isSessionPlace, type EventPlace } from './event-cursor.service';
import { EventLogRepository, type AccountPlace, type EventPage } from './event-log.repository';
import { EventPageWriter } from './event-page-writer';
import { EventStreamRegistry } from './event-stream-registry';
import type { EventStream } from './event-stream';

/** Signals may be lost, so all streams are read again after this time. */
const POLL_INTERVAL_MS = 2_000;
const MAX_SIGNALLED_EVENTS = 1_000;
/** Accounts whose backlogs are read at a time, each with a connection of the database. */
const MAX_BACKLOG_READS = 4;
const SIGNAL_PREFIX = 'events/';

/** Streams that are due, and how much is read for them at once. */
interface ReadQueue {
  dueStreams: Set<EventStream>;
  /** Runs when it is triggered. */
  task: PeriodicTask;
  maxPlaces: number;
  /** Of one account, so that it can't keep others waiting. */
  maxAccountPlaces: number;
  pageSize: number;
}

/**
 * Feeds streams from the log. A signal names the account, the session and the event that has committed; the event
 * itself is read. One statement serves all streams of the instance that are due, and streams at the same place share a
 * page. A client that reads slowly is served again when it has caught up. Streams that have much to read wait in a
 * queue of their own, by account, since each page of theirs costs a search of all that they missed, and so do streams
 * with content, since each of their events is read and may be decrypted.
 */
@Injectable()
export class EventFeedService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('EventStreams');
  private readonly presentQueue = this.createQueue('event read', {
    maxPlaces: 200,
    maxAccountPlaces: 50,
    pageSize: 100,
  });
  /** Each account is read by itself, so the limits are those of one account. */
  private readonly backlogQueue = this.createQueue('event backlog read', {
    maxPlaces: 2,
    maxAccountPlaces: 2,
    pageSize: 500,
  });
  private readonly backlogReads = new Map<string, Promise<void>>();
  private readonly contentQueue = this.createQueue('event content read', {
    maxPlaces: 10,
    maxAccountPlaces: 2,
    pageSize: 20,
  });
  /** Events of the latest signals. With Redis, the signals of this instance arrive twice. */
  private readonly signalledEventIds = new Set<string>();
  private readonly pollTask = new PeriodicTask('event poll', POLL_INTERVAL_MS, () => {
    for (const stream of this.streams.listEventStreams()) this.readStream(stream);
  });

  constructor(
    private readonly streams: EventStreamRegistry,
    private readonly eventLog: EventLogRepository,
    private readonly pageWriter: EventPageWriter,
    private readonly eventOutboxService: EventOutboxService,
    private readonly changeSignals: ChangeSignals,
  ) {}

  onApplicationBootstrap(): void {
    this.eventOutboxService.committedEvents.subscribe((events) => this.signalCommit(events));
    this.changeSignals.changedKeys.subscribe((key) => this.handleSignal(key));
    this.pollTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pollTask.stop();
    await Promise.all([this.presentQueue, this.backlogQueue, this.contentQueue].map(({ task }) => task.stop()));
    await Promise.all(this.backlogReads.values());
  }

  /** Reads the events after the stream's place, at once and whenever the client has caught up. */
  addStream(stream: EventStream): void {
    stream.onDrain(() => this.readStream(stream));
    this.readStream(stream);
  }

  private createQueue(name: string, limits: Omit<ReadQueue, 'dueStreams' | 'task'>): ReadQueue {
    const task = new PeriodicTask(name, POLL_INTERVAL_MS, () => this.readDueStreams(queue));
    const queue: ReadQueue = { dueStreams: new Set(), task, ...limits };
    return queue;
  }

  /** A stream is in one queue at a time, so that no page of it is read twice. */
  private readStream(stream: EventStream): void {
    const presentOrBacklog = stream.isBehind ? this.backlogQueue : this.presentQueue;
    const queue = stream.contentEncoding ? this.contentQueue : presentOrBacklog;
    queue.dueStreams.add(stream);
    queue.task.trigger();
  }

  /** Sends one signal for each session of the transaction, and one for its other events. */
  private signalCommit(events: readonly CommittedEvent[]): void {
    const lastEvents = new Map(events.map((event) => [`${event.accountId}/${event.sessionId ?? ''}`, event.id]));
    for (const [key, id] of lastEvents) this.changeSignals.sendSignal(`${SIGNAL_PREFIX}${key}/${id}`);
  }

  private handleSignal(key: string): void {
    if (!key.startsWith(SIGNAL_PREFIX)) return;
    const [accountId = '', sessionId = '', eventId = ''] = key.slice(SIGNAL_PREFIX.length).split('/');
    if (this.signalledEventIds.has(eventId)) return;
    this.signalledEventIds.add(eventId);
    if (this.signalledEventIds.size > MAX_SIGNALLED_EVENTS) {
      this.signalledEventIds.delete(this.signalledEventIds.values().next().value!);
    }
    for (const stream of this.streams.listAccountEventStreams(accountId)) {
      if (stream.sessionId === null || stream.sessionId === sessionId) this.readStream(stream);
    }
  }

  /** Returns whether more streams are due. */
  private async readDueStreams(queue: ReadQueue): Promise<boolean> {
    if (queue === this.backlogQueue) return this.startBacklogReads();
    await this.readGroups(queue, takeDueStreams(queue));
    return queue.dueStreams.size > 0;
  }

  /** Starts to read for accounts whose streams are behind, some at a time, so that none waits for another's events. */
  private startBacklogReads(): false {
    const { dueStreams, task } = this.backlogQueue;
    for (const accountId of new Set([...dueStreams].map((stream) => stream.accountId))) {
      if (this.backlogReads.size >= MAX_BACKLOG_READS) break;
      if (this.backlogReads.has(accountId)) continue;
      const groups = takeDueStreams(this.backlogQueue, accountId);
      if (groups.length === 0) continue;
      const read = this.readGroups(this.backlogQueue, groups)
        .catch((error: Error) => this.logger.warn({ accountId, reason: error.message }, 'event backlog read failed'))
        .finally(() => {
          this.backlogReads.delete(accountId);
          task.trigger();
        });
      this.backlogReads.set(accountId, read);
    }
    return false;
  }

  private async readGroups(queue: ReadQueue, groups: EventStream[][]): Promise<void> {
    const pages = await this.readPages(
      queue,
      groups.map(([first]) => first!.place),
    );
    let failure: unknown = null;
    for (const [index, group] of groups.entries()) {
      await this.deliverPage(queue, group, pages[index]!).catch((error: unknown) => (failure ??= error));
    }
    if (failure) throw failure as Error;
  }

  private async readPages(queue: ReadQueue, places: EventPlace[]): Promise<EventPage[]> {
    const { pageSize } = queue;
    const sessionPlaces = places.filter(isSessionPlace);
    const accountPlaces = places.filter((place): place is AccountPlace => !isSessionPlace(place));
    const sessionPages = sessionPlaces.length ? await this.eventLog.readSessions(sessionPlaces, pageSize) : [];
    const accountPages = await this.readAccountPages(queue, accountPlaces);
    return places.map((place) => (isSessionPlace(place) ? sessionPages : accountPages).shift()!);
  }

  private async readAccountPages(queue: ReadQueue, places: AccountPlace[]): Promise<EventPage[]> {
    if (places.length === 0) return [];
    if (queue !== this.backlogQueue) return this.eventLog.readAccounts(places, queue.pageSize);
    const pages: EventPage[] = [];
    for (const place of places) pages.push(await this.eventLog.readMissed(place, queue.pageSize));
    return pages;
  }

  /** Writes the page to streams at the same place. A stream changes its queue only here, where neither reads it. */
  private async deliverPage(queue: ReadQueue, group: EventStream[], page: EventPage): Promise<void> {
    if (page.isOverflowing && queue === this.backlogQueue) return this.pageWriter.endStreams(group);
    const behindStreams = page.isOverflowing ? new Set(group) : await this.pageWriter.writePage(group, page);
    for (const stream of group) {
      const isDue = queue.dueStreams.delete(stream);
      stream.isBehind = behindStreams.has(stream);
      if (isDue || stream.isBehind) this.readStream(stream);
    }
  }
}

/**
 * Takes streams that are due from the queue, by the place whose page they get. Leaves out those that can't get one.
 * @param accountId takes the streams of this account only
 */
function takeDueStreams({ dueStreams, maxPlaces, maxAccountPlaces }: ReadQueue, accountId?: string): EventStream[][] {
  const streamsByPlace = new Map<string, EventStream[]>();
  const placesByAccount = new Map<string, number>();
  for (const stream of dueStreams) {
    if (accountId !== undefined && stream.accountId !== accountId) continue;
    const atPlace = streamsByPlace.get(stream.placeKey);
    const accountPlaces = placesByAccount.get(stream.accountId) ?? 0;
    if (!atPlace && (streamsByPlace.size >= maxPlaces || accountPlaces >= maxAccountPlaces)) continue;
    dueStreams.delete(stream);
    if (!stream.canWrite) continue;
    if (atPlace) atPlace.push(stream);
    else {
      streamsByPlace.set(stream.placeKey, [stream]);
      placesByAccount.set(stream.accountId, accountPlaces + 1);
    }
  }
  return [...streamsByPlace.values()];
}
