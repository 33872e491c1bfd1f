import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { buildInvocationReport, INVOCATION_CAPABILITIES, InvocationFixture } from '../../support/invocation-fixture';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';

const UNKNOWN = 'inv_00000000000000000000000000';
const toBase64 = (text: string) => Buffer.from(text).toString('base64');

describe('the event stream of an invocation', () => {
  let fixture: InvocationFixture;
  let invocation: { id: string; requestId: string };
  let clients: EventStreamClient[];

  beforeAll(async () => {
    fixture = await InvocationFixture.start({ EVENT_STREAMS_PER_TOKEN: '3' });
  });
  beforeEach(async () => {
    clients = [];
    fixture.reset();
    invocation = await fixture.startInvocation();
    fixture.machine.socket.watches.length = 0;
  });
  afterEach(() => Promise.all(clients.map((client) => client.close())));
  afterAll(() => fixture?.stop());

  const getEventsPath = (id = invocation.id, machineId = fixture.machine.id) =>
    fixture.getPath(`/${id}/events`, machineId);
  const open = async (token = fixture.relay.token, path = getEventsPath()) => {
    const client = await EventStreamClient.open(fixture.relay.service.url + path, token);
    clients.push(client);
    return client;
  };
  const waitForWatch = (id = invocation.id) =>
    waitFor(() => {
      const watch = fixture.machine.socket.watches.find(({ invocationId }) => invocationId === id);
      expect(watch).toBeDefined();
      return watch;
    }, 20_000);
  const buildOutput = (text: string, offset = 0, change: object = {}) => ({
    invocationId: invocation.id,
    stream: 'stdout',
    offset,
    data: toBase64(text),
    ...change,
  });
  const sendOutput = (...args: Parameters<typeof buildOutput>) =>
    fixture.machine.socket.socket.emit('output', buildOutput(...args));

  it('asks the device, sends what the command writes, and ends with the invocation', async () => {
    const stream = await open();
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(stream.opened).toMatchObject({
      id: '',
      data: { id: null, type: 'stream.opened', data: { id: invocation.id, state: 'running', stdoutBytes: 0 } },
    });
    const { until } = await waitForWatch();
    expect(until - fixture.relay.service.deviceTime).toBeGreaterThan(15_000);
    expect(until - fixture.relay.service.deviceTime).toBeLessThanOrEqual(30_000);

    sendOutput('first\n');
    sendOutput('problem\n', 0, { stream: 'stderr', unknown: true });
    // The device has dropped something.
    sendOutput('last\n', 100);
    const events = await stream.waitForEvents(3);
    expect(events.map(({ id, type }) => [id, type])).toEqual(Array(3).fill(['', 'output']));
    expect(events.map(({ data }) => data)).toEqual([
      buildOutput('first\n'),
      buildOutput('problem\n', 0, { stream: 'stderr' }),
      buildOutput('last\n', 100),
    ]);

    expectStatus(await fixture.report(invocation, buildInvocationReport('completed', 2)), 200);
    // Sent before the report, and arrived after it.
    sendOutput('late\n', 105);
    await stream.ended;
    expect(stream.events.slice(3)).toMatchObject([
      { type: 'output', data: { offset: 105 } },
      {
        type: 'invocation.ended',
        data: { id: null, data: { id: invocation.id, state: 'completed', exitCode: 0, stdoutBytes: 12 } },
      },
    ]);
    expect([stream.retryMs, stream.lastEventId]).toEqual([null, '']);
    // The lease has ended with the only stream.
    await waitFor(() => {
      expect(fixture.machine.socket.watches.at(-1).until).toBeLessThanOrEqual(fixture.relay.service.deviceTime);
    }, 20_000);
  });

  it('sends the end alone if the invocation has ended, and asks no device', async () => {
    expectStatus(await fixture.report(invocation, buildInvocationReport('timed_out', 2)), 200);
    const stream = await open();
    await stream.ended;
    expect(stream.opened!.data.data).toMatchObject({ state: 'timed_out' });
    expect(stream.events).toMatchObject([{ type: 'invocation.ended', data: { data: { timedOut: true } } }]);
    expect(fixture.machine.socket.watches).toEqual([]);
  });

  it('shares one lease with the other streams of the invocation', async () => {
    const streams = [await open(), await open()];
    await waitForWatch();
    sendOutput('to both');
    for (const stream of streams) await stream.waitForEvents(1);
    await streams[0]!.close();
    sendOutput('to one', 7);
    await streams[1]!.waitForEvents(2);
    expect(fixture.machine.socket.watches).toHaveLength(1);
  });

  it('asks a device that connects later', async () => {
    fixture.machine.socket.close();
    await fixture.machine.socket.disconnected;
    const stream = await open();
    const { device } = fixture.machine;
    fixture.machine.socket = await fixture.relay.connectDevice(device, INVOCATION_CAPABILITIES);
    await waitForWatch();
    sendOutput('hello');
    await stream.waitForEvents(1);
  });

  it('ends with the revocation of its token, and frees its place', async () => {
    const { id, token } = await fixture.relay.ada.createToken(['machines:invoke']);
    const stream = await open(token);
    expectStatus(await fixture.relay.http.delete(`/v1/account/external-tokens/${id}`, fixture.relay.ada.token), 204);
    await waitFor(() => expect(stream.hasEnded).toBe(true), 20_000);
    expect([stream.events, stream.retryMs]).toEqual([[], null]);
  });

  it('is one of the streams that a token may have, and draws on the bucket of metadata', async () => {
    const streams = [await open(), await open(), await open()];
    expect(streams[0]!.response.headers.get('ratelimit-policy')).toContain('metadata');
    const refused = await fixture.relay.http.get(getEventsPath(), fixture.relay.token);
    expect(expectProblem(refused, 429, 'too_many_streams')).toBeDefined();
    expect(refused.headers.get('retry-after')).toBe('5');
    await streams[0]!.close();
    await waitFor(async () => expect((await open()).response.status).toBe(200), 20_000);
  });

  it('is 404 for an invocation that is unknown, of another machine or another account’s', async () => {
    const other = await fixture.relay.createMachine(INVOCATION_CAPABILITIES);
    const eve = await ForeignAccountDevice.signUp(fixture.relay.http);
    const { token: foreign } = await eve.createToken(['machines:invoke']);
    const { http, token } = fixture.relay;
    for (const response of await Promise.all([
      http.get(getEventsPath(UNKNOWN), token),
      http.get(getEventsPath('nonsense'), token),
      http.get(getEventsPath(invocation.id, other.id), token),
      http.get(getEventsPath(), foreign),
    ])) {
      expectProblem(response, 404, 'not_found');
    }
    const { token: reader } = await fixture.relay.ada.createToken(['machines:read', 'sessions:read']);
    expect(expectProblem(await http.get(getEventsPath(), reader), 403, 'insufficient_scope').required).toEqual([
      'machines:invoke',
    ]);
  });

  it('is open to account devices below /v1/control, and answers HEAD', async () => {
    const path = getEventsPath().replace('/external/v1', '/v1/control');
    const stream = await open(fixture.relay.ada.token, path);
    await waitForWatch();
    sendOutput('hello');
    await stream.waitForEvents(1);
    const head = await fixture.relay.http.request('HEAD', getEventsPath(), { token: fixture.relay.token });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('ends at once when the only instance stops, and asks the client to come back', async () => {
    const stream = await open();
    await waitForWatch();
    fixture.relay.service = await fixture.relay.service.restart();
    await stream.ended;
    expect([stream.events, stream.retryMs, stream.lastEventId]).toEqual([[], 1_000, '']);
    const next = await open();
    expect(next.opened!.data.data.state).toBe('running');
  });
});
