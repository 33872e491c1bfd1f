import { DAY } from '../../../src/common/clock';
import { generateId } from '../../../src/common/ids';
import { EventStreamRegistry } from '../../../src/modules/event-streams/event-stream-registry';
import { DeviceSession } from '../../support/device/device-session';
import { expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient, type OpenOptions } from '../../support/event-stream-client';
import { readMetric } from '../../support/metrics';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { ALL_READ_SCOPES, Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const EVENTS = '/external/v1/events';

describe('event streams', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let clients: EventStreamClient[];
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ RATE_LIMIT_METADATA: '10000', EVENT_STREAMS_PER_TOKEN: '3' });
  });
  beforeEach(async () => {
    clients = [];
    ada = await Subscriber.signUp(fixture.service.http, ALL_READ_SCOPES);
  });
  afterEach(() => Promise.all(clients.map((client) => client.close())));
  afterAll(() => fixture?.stop());

  const http = () => fixture.service.http;
  const open = async (path = EVENTS, options: OpenOptions & { token?: string } = {}) => {
    const client = await EventStreamClient.open(fixture.service.url + path, options.token ?? ada.token, options);
    clients.push(client);
    return client;
  };
  /** Ends all open streams, so that their clients read everything that was sent. */
  const endAll = async () => {
    for (const stream of fixture.service.app.get(EventStreamRegistry, { strict: false }).listStreams()) stream.end('');
    await Promise.all(clients.map((client) => client.ended));
  };
  const getPath = ({ id }: { id: string }) => `/external/v1/sessions/${id}/events`;
  const patch = async (id: string, json: object) =>
    expectStatus(await http().request('PATCH', `/v1/sessions/${id}`, { token: ada.device.token, json }), 200);
  const deleteSession = async ({ id }: { id: string }) =>
    expectStatus(await http().delete(`/v1/sessions/${id}`, ada.device.token), 204);

  it('send the events of the account from now on, with the ids and payloads of webhooks', async () => {
    const receiver = await WebhookReceiver.start();
    await ada.createWebhook(receiver.url);
    await ada.triggerEvent();
    const stream = await open();
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(stream.opened).toMatchObject({ data: { id: null, type: 'stream.opened', data: {} } });

    const { id } = await ada.triggerEvent();
    await patch(id, { state: 'ended' });
    const events = await stream.waitForEvents(2);
    expect(events.map(({ type, data }) => [type, data.type, data.data.id])).toEqual([
      ['session.created', 'session.created', id],
      ['session.ended', 'session.ended', id],
    ]);
    const [ended] = await waitFor(() => {
      const requests = receiver.filterByType('session.ended');
      expect(requests).toHaveLength(1);
      return requests;
    }, 20_000);
    expect(events[1]!.data).toEqual({ id: ended!.headers['webhook-id'], ...ended!.payload });
    await receiver.stop();
  });

  it('send nothing of other accounts', async () => {
    const bob = await Subscriber.signUp(http(), ALL_READ_SCOPES);
    const stream = await open();
    const ofBob = await open(EVENTS, { token: bob.token });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      await bob.triggerEvent();
      ids.push((await ada.triggerEvent()).id);
    }
    await Promise.all([stream.waitForEvents(3), ofBob.waitForEvents(3)]);
    await endAll();
    expect(stream.events.map(({ data }) => data.data.id)).toEqual(ids);
    expect(ofBob.events).toHaveLength(3);
  });

  it('of a session send its own events, in order, and end with the deletion', async () => {
    const session = await DeviceSession.createSession(ada.device);
    const stream = await open(getPath(session));
    await ada.triggerEvent();
    await session.appendMessages('a', 'b', 'c');
    await patch(session.id, { state: 'ended' });
    await deleteSession(session);
    await stream.ended;
    expect(stream.events.map(({ type }) => type)).toEqual([
      'message.created',
      'message.created',
      'message.created',
      'session.ended',
      'session.deleted',
    ]);
    expect(stream.events.slice(0, 3).map(({ data }) => data.data.seq)).toEqual([1, 2, 3]);
    const gone = await open(getPath(session), { lastEventId: stream.lastEventId });
    expect(gone.response.status).toBe(404);
  });

  it.each(['account', 'session'])('of the %s resume after any event', async (kind) => {
    const session = await DeviceSession.createSession(ada.device);
    const path = kind === 'account' ? EVENTS : getPath(session);
    const stream = await open(path);
    await session.appendMessages('a', 'b', 'c');
    await session.appendMessages('d');
    const events = await stream.waitForEvents(4);
    await stream.close();
    await session.appendMessages('e', 'f');
    const expected = ['opening', ...stream.eventIds];
    for (const [index, cursor] of [stream.opened!.id, ...events.map(({ id }) => id)].entries()) {
      const resumed = await open(path, { lastEventId: cursor });
      await resumed.waitForEvents(6 - index);
      expect(resumed.eventIds.slice(0, 4 - index)).toEqual(expected.slice(index + 1));
      expect(resumed.opened!.id).toBeTruthy();
      await resumed.close();
    }
    // The header is of a client that reconnects, and wins over the query of its first request.
    const query = await open(`${path}?lastEventId=${encodeURIComponent(events[3]!.id)}`);
    await query.waitForEvents(2);
    await query.close();
    const both = await open(`${path}?lastEventId=${encodeURIComponent(events[0]!.id)}`, { lastEventId: events[3]!.id });
    await both.waitForEvents(2);
  });

  it('send the types that were asked for, also after a change of them', async () => {
    const stream = await open(`${EVENTS}?types=session.ended,session.deleted`);
    const { id } = await ada.triggerEvent();
    await patch(id, { state: 'ended' });
    await stream.waitForEvents(1);
    expect(stream.events[0]!.type).toBe('session.ended');
    await stream.close();
    const { id: later } = await ada.triggerEvent();
    await patch(later, { state: 'ended' });
    await deleteSession({ id });
    const resumed = await open(`${EVENTS}?types=session.deleted`, { lastEventId: stream.lastEventId });
    await resumed.waitForEvents(1);
    await endAll();
    expect(resumed.events.map(({ type }) => type)).toEqual(['session.deleted']);
  });

  it('leave out what the caller may not see, and refuse types without their scope', async () => {
    const { token } = await ada.device.createToken(['sessions:read']);
    const stream = await open(EVENTS, { token });
    await ada.device.pairDevice('machine');
    await ada.device.createToken(['sessions:read']);
    const { id } = await ada.triggerEvent();
    await stream.waitForEvents(1);
    // A token with all scopes sees what the other one doesn't.
    const whole = await open(EVENTS, { lastEventId: stream.opened!.id });
    const types = (await whole.waitForEvents(2)).map(({ type }) => type);
    expect(types.sort()).toEqual(['session.created', 'token.created']);
    await endAll();
    expect(stream.events.map(({ data }) => data.data.id)).toEqual([id]);

    for (const [type, required] of [
      ['machine.online', 'machines:read'],
      ['artifact.created', 'artifacts:read'],
      ['token.created', 'webhooks:manage'],
    ]) {
      const refused = await http().get(`${EVENTS}?types=${type}`, token);
      expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required: [required] } });
    }
    for (const types of ['webhook.test', 'nothing', '', 'session.ended,', 'session.ended;turn.ended']) {
      expect((await http().get(`${EVENTS}?types=${types}`, token)).status).toBe(400);
    }
  });

  it('of the account are open to any valid token, and show what its scopes show', async () => {
    const { token: machineToken } = await ada.device.createToken(['machines:read']);
    const { token: poorToken } = await ada.device.createToken(['usage:read']);
    const session = await DeviceSession.createSession(ada.device);
    for (const path of [`${EVENTS}?types=session.created`, getPath(session)]) {
      const refused = await http().get(path, machineToken);
      expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required: ['sessions:read'] } });
    }
    const all = await open(EVENTS, { token: machineToken });
    const selected = await open(`${EVENTS}?types=machine.registered`, { token: machineToken });
    const none = await open(EVENTS, { token: poorToken });
    for (const { response } of [all, selected, none]) expect(response.status).toBe(200);
    await ada.triggerEvent();
    const { token } = await ada.device.pairDevice('machine');
    expectStatus(await http().post('/v1/machines', token, { name: 'box', platform: 'linux' }), 201);
    for (const stream of [all, selected]) await stream.waitForEvents(1);
    await endAll();
    for (const stream of [all, selected]) {
      expect(stream.events.map(({ type }) => type)).toEqual(['machine.registered']);
    }
    expect(none.events).toEqual([]);
  });

  it('refuse the cursor of another stream, of another account and one that was modified', async () => {
    const session = await DeviceSession.createSession(ada.device);
    const account = await open();
    const own = await open(getPath(session));
    const bob = await Subscriber.signUp(http(), ALL_READ_SCOPES);
    const refuse = async (path: string, token: string, lastEventId: string) => {
      const answer = await http().get(path, token, { headers: { 'Last-Event-ID': lastEventId } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    };
    await refuse(EVENTS, ada.token, own.opened!.id);
    await refuse(getPath(session), ada.token, account.opened!.id);
    await refuse(EVENTS, bob.token, account.opened!.id);
    await refuse(EVENTS, ada.token, `${account.opened!.id.slice(0, -1)}!`);
    expect((await http().get(getPath(session), bob.token)).status).toBe(404);
    expect((await http().get(getPath({ id: generateId('ses') }), ada.token)).status).toBe(404);
    expect((await http().get(getPath({ id: 'x' }), ada.token)).status).toBe(404);
  });

  it('expire after 24 hours', async () => {
    const stream = await open();
    const lastEventId = stream.opened!.id;
    fixture.service.advanceClock(DAY - 60_000);
    try {
      const resumed = await open(EVENTS, { lastEventId });
      expect(resumed.response.status).toBe(200);
      fixture.service.advanceClock(120_000);
      const expired = await http().get(EVENTS, ada.token, { headers: { 'Last-Event-ID': lastEventId } });
      expect(expired).toMatchObject({ status: 410, body: { code: 'stream_expired', lastEventId } });
    } finally {
      fixture.service.advanceClock(-DAY - 60_000);
    }
  });

  it('are limited for each token, and a stream that closes makes room', async () => {
    const streams = [await open(), await open(), await open()];
    const refused = await http().get(EVENTS, ada.token);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_streams' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    const { token } = await ada.device.createToken(['sessions:read']);
    await open(EVENTS, { token });
    await streams[0]!.close();
    await waitFor(async () => expect((await open()).response.status).toBe(200), 20_000);
  });

  it('count the lag of events that happened while they were open', async () => {
    const countLags = () => readMetric(fixture.service, 'event_stream_lag_seconds_count');
    const stream = await open();
    const before = await countLags();
    await ada.triggerEvent();
    await stream.waitForEvents(1);
    await waitFor(async () => expect(await countLags()).toBe(before + 1), 20_000);
    await stream.close();
    const registry = fixture.service.app.get(EventStreamRegistry, { strict: false });
    await waitFor(() => expect(registry.size).toBe(0), 20_000);
    await ada.triggerEvent();
    const resumed = await open(EVENTS, { lastEventId: stream.lastEventId });
    await resumed.waitForEvents(1);
    await ada.triggerEvent();
    await resumed.waitForEvents(2);
    await waitFor(async () => expect(await countLags()).toBe(before + 2), 20_000);
  });

  it('answer HEAD with the head alone', async () => {
    const answer = await http().request('HEAD', EVENTS, { token: ada.token });
    expect(answer).toMatchObject({ status: 200, body: null });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  });

  it('count once in usage when they end, and draw once on the metadata bucket', async () => {
    const { token } = await ada.device.createToken(['sessions:read', 'usage:read']);
    const stream = await open(EVENTS, { token });
    expect(stream.response.headers.get('x-ratelimit-limit')).toBe('10000');
    expect(stream.response.headers.get('x-ratelimit-remaining')).toBe('9999');
    await ada.triggerEvent();
    await stream.waitForEvents(1);
    const findUsage = async () =>
      expectStatus(await http().get('/external/v1/usage?groupBy=operation', token), 200).data;
    const before: { operation: string }[] = await findUsage();
    expect(before.map(({ operation }) => operation)).not.toContain('streamEvents');
    await stream.close();
    await waitFor(async () => {
      const after: { operation: string; requests: number }[] = await findUsage();
      expect(after.find(({ operation }) => operation === 'streamEvents')).toMatchObject({ requests: 1 });
    }, 20_000);
  });
});
