import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TokenVerifierRegistry } from '../../../src/access/auth';
import { DAY, MINUTE } from '../../../src/common/clock';
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
  /**
   * Waits for the end of the only open stream. The first check of tokens that begins after the call must end it. Checks
   * begin every 500 ms, so this bounds a second on a machine of any speed.
   */
  const expectEndByNextCheck = async (client: EventStreamClient, revoke: () => Promise<unknown>) => {
    const streams = [...registry().listStreams()];
    expect(streams).toHaveLength(1);
    const checks = jest.spyOn(fixture.service.app.get(TokenVerifierRegistry, { strict: false }), 'verifyTokens');
    let checkCount: number | null = null;
    let countBefore: number | null = null;
    // The check that was due may already end it while the call is answered.
    streams[0]!.onClose(() => (checkCount = checks.mock.calls.length - (countBefore ?? checks.mock.calls.length)));
    await revoke();
    countBefore = checks.mock.calls.length;
    await client.ended;
    await waitFor(() => expect(checkCount).not.toBeNull());
    checks.mockRestore();
    expect(checkCount).toBeLessThanOrEqual(1);
    // It must not resume, so it gets neither an id nor a time after which to reconnect.
    expect(client).toMatchObject({ retryMs: null, lastEventId: client.opened!.id, events: [] });
  };

  it('ends with the revocation of its token, and other streams of the account do not', async () => {
    const { id, token } = await ada.device.createToken(['sessions:read']);
    const [revoked, other] = [await open(token), await open()];
    expectStatus(await fixture.service.http.delete(`/v1/account/external-tokens/${id}`, ada.device.token), 204);
    await revoked.ended;
    await ada.triggerEvent();
    await other.waitForEvents(2);
    expect(other.events.map(({ type }) => type)).toEqual(['token.revoked', 'session.created']);
    expect(other.hasEnded).toBe(false);
  });

  it('ends within a second after the revocation of its token', async () => {
    const { id, token } = await ada.device.createToken(['sessions:read']);
    const path = `/v1/account/external-tokens/${id}`;
    await expectEndByNextCheck(await open(token), async () =>
      expectStatus(await fixture.service.http.delete(path, ada.device.token), 204),
    );
  });

  it('ends within a second after the expiry of its token', async () => {
    const { token } = await ada.device.createToken(['sessions:read'], { expiresInDays: 1 });
    fixture.service.advanceClock(DAY - MINUTE);
    try {
      const stream = await open(token);
      await expectEndByNextCheck(stream, () => Promise.resolve(fixture.service.advanceClock(2 * MINUTE)));
    } finally {
      fixture.service.advanceClock(-DAY - MINUTE);
    }
  });

  it('ends within a second after the suspension of its account', async () => {
    const update =
      'UPDATE accounts SET suspended_at = $2 WHERE id = (SELECT account_id FROM external_tokens WHERE id = $1)';
    const { id, token } = await ada.device.createToken(['sessions:read']);
    await expectEndByNextCheck(await open(token), () => queryDatabase(fixture.service, update, [id, new Date()]));
  });

  it('of an account device ends within a second after the revocation of the device', async () => {
    const device = await ada.device.pairDevice('account');
    const stream = await EventStreamClient.open(`${fixture.service.url}/v1/control/events`, device.token);
    clients.push(stream);
    await expectEndByNextCheck(stream, async () =>
      expectStatus(await fixture.service.http.delete(`/v1/devices/${device.id}`, ada.device.token), 204),
    );
  });

  it('of an account device sends all events of its account', async () => {
    const stream = await EventStreamClient.open(`${fixture.service.url}/v1/control/events`, ada.device.token);
    clients.push(stream);
    await ada.device.createToken(['sessions:read']);
    expect((await stream.waitForEvents(1))[0]!.type).toBe('token.created');
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

  describe('of a client that reads nothing', () => {
    let owner: Subscriber;
    let session: DeviceSession;
    let reader: EventStreamClient;
    /** Clients whose buffers are full: filling them takes thousands of events. */
    let stalled: Record<'revoked' | 'ended' | 'waiting', StalledClient>;
    let revocableId: string;
    let sent: number;
    beforeAll(async () => {
      owner = await Subscriber.signUp(fixture.service.http, ALL_READ_SCOPES);
      session = await DeviceSession.createSession(owner.device);
      const { id, token } = await owner.device.createToken(['sessions:read']);
      revocableId = id;
      stalled = {
        revoked: await openStalled(token),
        ended: await openStalled(owner.token),
        waiting: await openStalled(owner.token),
      };
      reader = await EventStreamClient.open(fixture.service.url + EVENTS, owner.token);
      sent = await fillBuffers(Object.values(stalled).map(({ stream }) => stream));
    }, 120_000);
    afterAll(async () => {
      for (const { socket } of Object.values(stalled ?? {})) socket.destroy();
      await reader?.close();
    });

    interface StalledClient {
      socket: Socket;
      stream: EventStream;
    }
    const openStalled = async (token: string): Promise<StalledClient> => {
      const { hostname, port } = new URL(fixture.service.url);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.pause();
      const before = new Set(registry().listEventStreams());
      socket.write(`GET ${EVENTS} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      const findStream = () => [...registry().listEventStreams()].find((each) => !before.has(each));
      await waitFor(() => expect(findStream()).toBeDefined(), 20_000);
      return { socket, stream: findStream()! };
    };
    /** Whether the buffers of the process stay full: those of the sockets may grow for a moment. */
    const areFull = async (streams: EventStream[]): Promise<boolean> => {
      const isOneEmptying = () => streams.some(({ canWrite }) => canWrite);
      if (!isOneEmptying()) await sleep(200);
      return !isOneEmptying();
    };
    /**
     * Appends messages until the buffers of the sockets are full, and then those of the process, and 500 beyond: a busy
     * system may still take from the process what that has buffered. Returns how many.
     */
    const fillBuffers = async (streams: EventStream[]): Promise<number> => {
      let [count, countWhileFull] = [0, 0];
      while (countWhileFull < 500 && count < 40_000) {
        countWhileFull = (await areFull(streams)) ? countWhileFull + 50 : 0;
        await session.appendMessages(...Array.from({ length: 50 }, (_, n) => `${count + n}`));
        count += 50;
      }
      expect(streams.map(({ canWrite }) => canWrite)).toEqual([false, false, false]);
      return count;
    };
    const expectClose = (stream: EventStream) =>
      waitFor(() => expect([...registry().listStreams()]).not.toContain(stream), 20_000);

    it('does not grow in memory, and the others are served', async () => {
      const { stream } = stalled.waiting;
      await waitFor(() => expect(reader.events).toHaveLength(sent), 60_000);
      const place = JSON.stringify(stream.place);
      await session.appendMessages('last');
      await waitFor(() => expect(reader.events).toHaveLength(sent + 1), 60_000);
      expect(JSON.stringify(stream.place)).toBe(place);
    }, 120_000);

    it('makes room soon after its end, although its client has not read all', async () => {
      const { stream } = stalled.ended;
      stream.end('');
      await expectClose(stream);
    }, 120_000);

    it('is cut off with its token, and sends nothing more', async () => {
      const { socket, stream } = stalled.revoked;
      const path = `/v1/account/external-tokens/${revocableId}`;
      expectStatus(await fixture.service.http.delete(path, owner.device.token), 204);
      await expectClose(stream);
      // The client now reads to the end what had left the process. The rest was dropped.
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      const closed = once(socket, 'close');
      socket.resume();
      await closed;
      const received = text.split('event: message.created').length - 1;
      expect(received).toBeGreaterThan(0);
      expect(received).toBeLessThan(sent);
      expect(text).not.toContain('retry:');
    }, 120_000);
  });

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
