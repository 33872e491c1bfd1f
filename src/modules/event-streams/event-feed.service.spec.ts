import { Subject } from 'rxjs';
import type { CommittedEvent, EventOutboxService } from '../../core/events';
import type { ChangeSignals } from '../../core/redis';
import { isSessionPlace, type EventPlace } from './event-cursor.service';
import { EventFeedService } from './event-feed.service';
import type { EventLogRepository, EventPage } from './event-log.repository';
import type { EventPageWriter } from './event-page-writer';
import type { EventStream } from './event-stream';
import type { EventStreamRegistry } from './event-stream-registry';
import { createStream } from './testing/stream-fixture';

/** Settles everything that is due, without reaching the next poll after 2 s. */
const settle = () => jest.advanceTimersByTimeAsync(10);

describe('the feed of event streams', () => {
  let streams: EventStream[];
  let keys: Subject<string>;
  let committed: Subject<readonly CommittedEvent[]>;
  let sentKeys: string[];
  /** Streams of each page that was written, and places of each statement. */
  let writes: EventStream[][];
  let statements: EventPlace[][];
  let behind: Set<EventStream>;
  let onWrite: () => void;
  let feed: EventFeedService;

  beforeEach(() => {
    jest.useFakeTimers();
    [streams, sentKeys, writes, statements, behind] = [[], [], [], [], new Set()];
    [keys, committed, onWrite] = [new Subject(), new Subject(), () => undefined];
    const registry = {
      listEventStreams: () => streams,
      listAccountEventStreams: (id: string) => streams.filter(({ accountId }) => accountId === id),
    } as unknown as EventStreamRegistry;
    const read = (places: EventPlace[]) => {
      statements.push(places);
      return Promise.resolve(places.map(() => ({ events: [] }) as unknown as EventPage));
    };
    const readMissed = async (place: EventPlace) => (await read([place]))[0];
    const log = { readAccounts: read, readSessions: read, readMissed } as unknown as EventLogRepository;
    const writer = {
      writePage: (group: EventStream[]) => {
        writes.push(group);
        onWrite();
        return Promise.resolve(behind);
      },
    } as unknown as EventPageWriter;
    const signals = { changedKeys: keys, sendSignal: (key: string) => sentKeys.push(key) } as unknown as ChangeSignals;
    const outbox = { committedEvents: committed } as unknown as EventOutboxService;
    feed = new EventFeedService(registry, log, writer, outbox, signals);
    feed.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await feed.onApplicationShutdown();
  });

  const add = async (change: Parameters<typeof createStream>[0] = {}) => {
    const created = createStream(change);
    streams.push(created.stream);
    feed.addStream(created.stream);
    await settle();
    writes.length = 0;
    statements.length = 0;
    return created;
  };
  const addSession = (sessionId: string) =>
    add({ sessionId, place: { accountId: 'acc_1', sessionId, after: 0, at: Date.now() } });
  const signal = async (key: string) => {
    keys.next(`events/${key}`);
    await settle();
  };

  it('reads a stream when it is opened', async () => {
    const { stream } = createStream();
    feed.addStream(stream);
    await settle();
    expect(writes).toEqual([[stream]]);
  });

  it('names the last event of each session in the signals of a commit', () => {
    const event = (id: string, sessionId: string | null) => ({ accountId: 'acc_1', sessionId, id, payload: '{}' });
    committed.next([event('evt_1', 'ses_1'), event('evt_2', null), event('evt_3', 'ses_1')]);
    expect(sentKeys).toEqual(['events/acc_1/ses_1/evt_3', 'events/acc_1//evt_2']);
  });

  it('reads the streams of the account and of the session that a signal names', async () => {
    const account = await add();
    const session = await addSession('ses_1');
    await addSession('ses_2');
    await add({ accountId: 'acc_2', place: { accountId: 'acc_2', after: '10:10:', at: 0, page: null } });
    await signal('acc_1/ses_1/evt_1');
    expect(new Set(writes.flat())).toEqual(new Set([account.stream, session.stream]));
    expect(statements.map((places) => places.map(isSessionPlace))).toEqual([[false], [true]]);
  });

  it('reads once for a signal that arrives twice', async () => {
    await add();
    await signal('acc_1//evt_1');
    await signal('acc_1//evt_1');
    expect(writes).toHaveLength(1);
    await signal('acc_1//evt_2');
    expect(writes).toHaveLength(2);
  });

  it('reads all streams every 2 s, because signals may be lost', async () => {
    const { stream } = await add();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(writes).toEqual([[stream]]);
  });

  it('reads again for a signal that arrives during a read', async () => {
    const { stream } = await add();
    onWrite = () => {
      onWrite = () => undefined;
      keys.next('events/acc_1//evt_2');
    };
    await signal('acc_1//evt_1');
    expect(writes).toEqual([[stream], [stream]]);
  });

  it('reads a stream that is behind until it is not', async () => {
    const { stream } = await add();
    behind.add(stream);
    let pages = 0;
    onWrite = () => ++pages === 3 && behind.clear();
    await signal('acc_1//evt_1');
    expect(writes).toEqual([[stream], [stream], [stream]]);
    expect(stream.isBehind).toBe(false);
  });

  it('reads nothing for a client that is behind in reading, and continues when it has caught up', async () => {
    const { stream, response } = await add();
    response.writableLength = 20_000;
    await signal('acc_1//evt_1');
    expect(writes).toEqual([]);
    response.writableLength = 0;
    response.emit('drain');
    await settle();
    expect(writes).toEqual([[stream]]);
  });

  it('reads one page for streams at the same place', async () => {
    const place: EventPlace = { accountId: 'acc_1', after: '10:10:', at: 0, page: null };
    const [first, second] = [await add({ place }), await add({ place })];
    // The first stream is read at once, and then both that are due.
    onWrite = () => {
      onWrite = () => undefined;
      keys.next('events/acc_1//evt_2');
    };
    await signal('acc_1//evt_1');
    expect(writes).toEqual([[first.stream], [second.stream, first.stream]]);
    expect(statements).toEqual([[place], [place]]);
  });
});
