import { HOUR } from '../../../src/common/clock';
import { EventLogRepository } from '../../../src/modules/event-streams/event-log.repository';
import { DeviceSession } from '../../support/device/device-session';
import { EventStreamClient } from '../../support/event-stream-client';
import { waitFor } from '../../support/wait-for';
import { ALL_READ_SCOPES, Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const EVENTS = '/external/v1/events';
/** Batches of 100 messages, which together fill more than two pages. */
const BATCHES = 11;

describe('event streams of clients that were away', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let clients: EventStreamClient[];
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ RATE_LIMIT_METADATA: '10000' });
  });
  beforeEach(async () => {
    clients = [];
    ada = await Subscriber.signUp(fixture.service.http, ALL_READ_SCOPES);
  });
  afterEach(() => Promise.all(clients.map((client) => client.close())));
  afterAll(() => fixture?.stop());

  const http = () => fixture.service.http;
  const open = async (path: string, lastEventId?: string) => {
    const client = await EventStreamClient.open(fixture.service.url + path, ada.token, { lastEventId });
    clients.push(client);
    return client;
  };

  it.each(['account', 'session'])('of the %s tell how much of what was missed is still kept', async (kind) => {
    const session = await DeviceSession.createSession(ada.device);
    const path = kind === 'account' ? EVENTS : `/external/v1/sessions/${session.id}/events`;
    const first = await open(path);
    await first.close();
    await session.appendMessages('a', 'b', 'c');
    fixture.service.advanceClock(23 * HOUR);
    try {
      // Read for an hour from the past, and interrupted between the events of one page.
      const second = await open(path, first.lastEventId);
      const [afterFirst, , afterLast] = (await second.waitForEvents(3)).map(({ id }) => id);
      await second.close();
      const third = await open(path, afterFirst);
      await third.waitForEvents(2);
      fixture.service.advanceClock(2 * HOUR);
      const expired = await http().get(path, ada.token, { headers: { 'Last-Event-ID': afterFirst! } });
      expect(expired).toMatchObject({ status: 410, body: { code: 'stream_expired', lastEventId: afterFirst } });
      expect((await open(path, afterLast)).response.status).toBe(200);
    } finally {
      fixture.service.advanceClock(-25 * HOUR);
    }
  });

  it('of a session go on after more than a day without an event of the session', async () => {
    const session = await DeviceSession.createSession(ada.device);
    const path = `/external/v1/sessions/${session.id}/events`;
    const first = await open(path);
    await first.close();
    fixture.service.advanceClock(25 * HOUR);
    try {
      const resumed = await open(path, first.lastEventId);
      expect(resumed.response.status).toBe(200);
      await session.appendMessages('a');
      await resumed.waitForEvents(1);
    } finally {
      fixture.service.advanceClock(-25 * HOUR);
    }
  });

  it.each(['account', 'session'])('of the %s send several pages of events, each once and in order', async (kind) => {
    const session = await DeviceSession.createSession(ada.device);
    const path = kind === 'account' ? EVENTS : `/external/v1/sessions/${session.id}/events`;
    const first = await open(path);
    await first.close();
    const batch = (n: number) => Array.from({ length: 100 }, (_, index) => `m${n}-${index}`);
    for (let n = 0; n < BATCHES; n++) await session.appendMessages(...batch(n));
    const resumed = await open(path, first.lastEventId);
    const events = await resumed.waitForEvents(BATCHES * 100, 60_000);
    expect(events.map(({ data }) => data.data.seq)).toEqual(events.map((_, index) => index + 1));
    // A cursor in the middle of what was written at once.
    const middle = events[BATCHES * 50]!;
    const again = await open(path, middle.id);
    const rest = await again.waitForEvents(BATCHES * 50 - 1, 60_000);
    expect(rest[0]!.data.data.seq).toBe(middle.data.data.seq + 1);
    await session.appendMessages('last');
    await again.waitForEvents(BATCHES * 50);
  });

  it('delay neither a stream that is at the present nor one of another account that was away', async () => {
    const away = await open(EVENTS);
    await away.close();
    await ada.triggerEvent();
    const present = await open(EVENTS);
    const eventLog = fixture.service.app.get(EventLogRepository, { strict: false });
    let endSearch!: () => void;
    const search = new Promise<void>((resolve) => (endSearch = resolve));
    const readMissed = eventLog.readMissed.bind(eventLog);
    jest.spyOn(eventLog, 'readMissed').mockImplementation(async (place, limit) => {
      if (place.accountId === ada.device.accountId) await search;
      return readMissed(place, limit);
    });
    const bob = await Subscriber.signUp(fixture.service.http, ALL_READ_SCOPES);
    const bobsEvents = fixture.service.url + EVENTS;
    const bobAway = await EventStreamClient.open(bobsEvents, bob.token);
    await bobAway.close();
    await bob.triggerEvent();
    const resumed = await open(EVENTS, away.lastEventId);
    await ada.triggerEvent();
    await present.waitForEvents(1);
    expect(resumed.events).toEqual([]);
    const bobResumed = await EventStreamClient.open(bobsEvents, bob.token, { lastEventId: bobAway.lastEventId });
    clients.push(bobResumed);
    await bobResumed.waitForEvents(1);
    endSearch();
    await resumed.waitForEvents(2);
    jest.restoreAllMocks();
    // From now on both are read together.
    await ada.triggerEvent();
    await resumed.waitForEvents(3);
    await waitFor(() => expect(resumed.eventIds.slice(1)).toEqual(present.eventIds));
  });
});
