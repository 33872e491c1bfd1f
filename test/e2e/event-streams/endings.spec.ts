import { connect } from 'node:net';
import { DAY } from '../../../src/common/clock';
import type { EventStream } from '../../../src/modules/event-streams/event-stream';
import { EventStreamRegistry } from '../../../src/modules/event-streams/event-stream-registry';
import { queryDatabase, waitForAccountCleanup } from '../../support/database';
import { DeviceSession } from '../../support/device/device-session';
import { expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { waitFor } from '../../support/wait-for';
import { ALL_READ_SCOPES, Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const EVENTS = '/external/v1/events';

describe('an open event stream', () => {
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

  const open = async (token = ada.token) => {
    const client = await EventStreamClient.open(fixture.service.url + EVENTS, token);
    clients.push(client);
    return client;
  };
  const registry = () => fixture.service.app.get(EventStreamRegistry, { strict: false });

  it('ends with the revocation of its token, and other streams of the account do not', async () => {
    const { id, token } = await ada.device.createToken(['sessions:read']);
    const [revoked, other] = [await open(token), await open()];
    expectStatus(await fixture.service.http.delete(`/v1/account/external-tokens/${id}`, ada.device.token), 204);
    await waitFor(() => expect(revoked.hasEnded).toBe(true), 20_000);
    // It must not resume, so it gets neither an id nor a time after which to reconnect.
    expect(revoked).toMatchObject({ retryMs: null, lastEventId: revoked.opened!.id });
    await ada.triggerEvent();
    await other.waitForEvents(2);
    expect(other.events.map(({ type }) => type)).toEqual(['token.revoked', 'session.created']);
  });

  it('ends with the expiry of its token', async () => {
    const { token } = await ada.device.createToken(['sessions:read'], { expiresInDays: 1 });
    const stream = await open(token);
    fixture.service.advanceClock(DAY);
    try {
      await waitFor(() => expect(stream.hasEnded).toBe(true), 20_000);
    } finally {
      fixture.service.advanceClock(-DAY);
    }
  });

  it('ends with the suspension of its account', async () => {
    const stream = await open();
    const update =
      'UPDATE accounts SET suspended_at = $2 WHERE id = (SELECT account_id FROM external_tokens WHERE id = $1)';
    const { id } = await ada.device.createToken(['sessions:read']);
    await queryDatabase(fixture.service, update, [id, new Date()]);
    await waitFor(() => expect(stream.hasEnded).toBe(true), 20_000);
  });

  it('of an account device ends when the device is revoked', async () => {
    const device = await ada.device.pairDevice('account');
    const url = `${fixture.service.url}/v1/control/events`;
    const stream = await EventStreamClient.open(url, device.token);
    clients.push(stream);
    await ada.device.createToken(['sessions:read']);
    // A device sees all events of its account.
    expect((await stream.waitForEvents(1))[0]!.type).toBe('token.created');
    expectStatus(await fixture.service.http.delete(`/v1/devices/${device.id}`, ada.device.token), 204);
    await waitFor(() => expect(stream.hasEnded).toBe(true), 20_000);
  });

  it('ends with the deletion of its account, whose events are deleted from the log', async () => {
    const stream = await open();
    await ada.triggerEvent();
    await stream.waitForEvents(1);
    const { accountId } = ada.device;
    const countEvents = 'SELECT count(*)::int AS count FROM event_log WHERE account_id = $1';
    const [before] = await queryDatabase<{ count: number }>(fixture.service, countEvents, [accountId]);
    expect(before!.count).toBeGreaterThan(0);
    expectStatus(await fixture.service.http.delete('/v1/account', ada.device.token), 204);
    await waitFor(() => expect(stream.hasEnded).toBe(true), 20_000);
    await waitForAccountCleanup(fixture.service);
    expect(await queryDatabase(fixture.service, countEvents, [accountId])).toEqual([{ count: 0 }]);
  });

  it('is removed when its client disconnects', async () => {
    const before = registry().size;
    const stream = await open();
    expect(registry().size).toBe(before + 1);
    await stream.close();
    await waitFor(() => expect(registry().size).toBe(before), 20_000);
  });

  /** Opens the stream of a client that reads nothing. */
  const openStalled = async (token = ada.token) => {
    const { hostname, port } = new URL(fixture.service.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    const before = new Set(registry().listEventStreams());
    socket.write(`GET ${EVENTS} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    const findStream = () => [...registry().listEventStreams()].find((each) => !before.has(each));
    await waitFor(() => expect(findStream()).toBeDefined(), 20_000);
    return { socket, stalled: findStream()! };
  };
  /** Appends messages until the buffers of the sockets are full, and then those of the process. Returns how many. */
  const fillBuffers = async (session: DeviceSession, stalled: EventStream): Promise<number> => {
    let sent = 0;
    while (stalled.canWrite && sent < 40_000) {
      await session.appendMessages(...Array.from({ length: 50 }, (_, n) => `${sent + n}`));
      sent += 50;
    }
    expect(stalled.canWrite).toBe(false);
    return sent;
  };

  it('of a client that reads nothing is cut off with its token, and sends nothing more', async () => {
    const session = await DeviceSession.createSession(ada.device);
    const { id, token } = await ada.device.createToken(['sessions:read']);
    const { socket, stalled } = await openStalled(token);
    try {
      await fillBuffers(session, stalled);
      expectStatus(await fixture.service.http.delete(`/v1/account/external-tokens/${id}`, ada.device.token), 204);
      await waitFor(() => expect([...registry().listStreams()]).not.toContain(stalled), 20_000);
    } finally {
      socket.destroy();
    }
  }, 120_000);

  it('makes room soon after its end, although its client has not read all', async () => {
    const session = await DeviceSession.createSession(ada.device);
    const { socket, stalled } = await openStalled();
    try {
      await fillBuffers(session, stalled);
      stalled.end('');
      await waitFor(() => expect([...registry().listStreams()]).not.toContain(stalled), 20_000);
    } finally {
      socket.destroy();
    }
  }, 120_000);

  it('does not grow in memory for a client that reads nothing, and serves the others', async () => {
    const session = await DeviceSession.createSession(ada.device);
    const { socket, stalled } = await openStalled();
    try {
      const reader = await open();
      const sent = await fillBuffers(session, stalled);
      const place = JSON.stringify(stalled.place);
      await session.appendMessages('last');
      await waitFor(() => expect(reader.events).toHaveLength(sent + 1), 60_000);
      expect(JSON.stringify(stalled.place)).toBe(place);
    } finally {
      socket.destroy();
    }
  }, 120_000);

  it('ends at once when the only instance stops', async () => {
    const stream = await open();
    fixture.service = await fixture.service.restart();
    await stream.ended;
    // The server did not wait for the connection until it had to break it.
    expect(stream.retryMs).toBe(1_000);
    const { lastEventId } = stream;
    clients.push(await EventStreamClient.open(fixture.service.url + EVENTS, ada.token, { lastEventId }));
    expect(clients.at(-1)!.response.status).toBe(200);
  });
});
