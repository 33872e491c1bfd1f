import { connect } from 'node:net';
import { generateId } from '../../../src/common/ids';
import { EventStreamRegistry } from '../../../src/modules/event-streams/event-stream-registry';
import { EventStreamClient } from '../../support/event-stream-client';
import { INVOCATION_CAPABILITIES, InvocationFixture } from '../../support/invocation-fixture';
import { readMetric } from '../../support/metrics';
import type { ConnectedMachine } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

const MEBIBYTE = 1_048_576;
const MAX_OUTPUT_BYTES = 65_536;

describe('live output of a device', () => {
  let fixture: InvocationFixture;
  let invocation: { id: string; requestId: string };
  let stream: EventStreamClient;

  beforeAll(async () => {
    fixture = await InvocationFixture.start();
  });
  beforeEach(async () => {
    if (!fixture.machine.socket.socket.connected) {
      fixture.machine.socket = await fixture.relay.connectDevice(fixture.machine.device, INVOCATION_CAPABILITIES);
    }
    fixture.reset();
    invocation = await fixture.startInvocation();
    const path = fixture.getPath(`/${invocation.id}/events`);
    stream = await EventStreamClient.open(fixture.relay.service.url + path, fixture.relay.token);
    await waitFor(() => {
      expect(fixture.machine.socket.watches).toContainEqual(expect.objectContaining({ invocationId: invocation.id }));
    }, 20_000);
  });
  afterEach(() => stream?.close());
  afterAll(() => fixture?.stop());

  const buildOutput = (change: object = {}) => ({
    invocationId: invocation.id,
    stream: 'stdout',
    offset: 0,
    data: 'aGk=',
    ...change,
  });
  const sendMarker = () => fixture.machine.socket.socket.emit('output', buildOutput({ stream: 'stderr' }));
  /** Returns the close frame of the socket. */
  const waitForClose = ({ socket } = fixture.machine): Promise<{ code: number; reason: string }> =>
    new Promise((resolve) => {
      socket.socket.once('disconnect', (_, details) => {
        const { code, reason } = (details as unknown as { context: { code: number; reason: string } }).context;
        resolve({ code, reason });
      });
    });
  const read = (line: string) => readMetric(fixture.relay.service, line);

  it.each([
    ['the largest allowed data', { data: Buffer.alloc(MAX_OUTPUT_BYTES).toString('base64') }],
    ['the greatest offset', { offset: Number.MAX_SAFE_INTEGER }],
  ])('is passed on with %s', async (_, change) => {
    fixture.machine.socket.socket.emit('output', buildOutput(change));
    expect((await stream.waitForEvents(1))[0]!.data).toEqual(buildOutput(change));
  });

  it.each([
    ['too much data', { data: Buffer.alloc(MAX_OUTPUT_BYTES + 1).toString('base64') }],
    ['no data', { data: '' }],
    ['data that is not base64', { data: 'aGk' }],
    ['data with characters that base64 ignores', { data: 'aG k=' }],
    ['a negative offset', { offset: -1 }],
    ['an offset that is not safe', { offset: 2 ** 53 }],
    ['an offset that is not a number', { offset: '0' }],
    ['an unknown stream', { stream: 'stdin' }],
    ['an id of another kind', { invocationId: generateId('ses') }],
    ['an id that is not a string', { invocationId: { $ne: '' } }],
  ])('closes the socket with %s', async (_, change) => {
    const closed = waitForClose();
    fixture.machine.socket.socket.emit('output', buildOutput(change));
    expect(await closed).toEqual({ code: 1008, reason: 'unexpected_packet' });
    expect(stream.events).toEqual([]);
  });

  it.each([
    ['is not JSON', () => '2["output",{'],
    ['is not an object', () => '2["output",[]]'],
    ['has two arguments', () => `2["output",${JSON.stringify(buildOutput())},1]`],
    ['asks for an acknowledgement', () => `21["output",${JSON.stringify(buildOutput())}]`],
    ['is in another namespace', () => `2/x,["output",${JSON.stringify(buildOutput())}]`],
    ['has an attachment', () => '451-["output",{"_placeholder":true,"num":0}]'],
    ['is another event', () => `2["outputs",${JSON.stringify(buildOutput())}]`],
    ['is a delta of a device that did not declare it', () => '2["delta",{}]'],
  ])('closes the socket if it %s', async (_, buildPacket) => {
    const closed = waitForClose();
    fixture.machine.socket.socket.io.engine.write(buildPacket());
    expect(await closed).toEqual({ code: 1008, reason: 'unexpected_packet' });
  });

  it('closes the socket of a device without the capability', async () => {
    const other = await fixture.relay.createMachine(['machine.invoke']);
    const closed = waitForClose(other);
    other.socket.socket.emit('output', buildOutput());
    expect(await closed).toEqual({ code: 1008, reason: 'unexpected_packet' });
  });

  it('is dropped and counted if nobody watches it, or the device is not that of the invocation', async () => {
    const name = 'relay_live_messages_dropped_total{type="output",reason="unwatched"}';
    const [before, received] = [await read(name), await read('relay_live_messages_total{type="output"}')];
    const others: ConnectedMachine[] = [await fixture.relay.createMachine(INVOCATION_CAPABILITIES)];
    others[0]!.socket.socket.emit('output', buildOutput());
    fixture.machine.socket.socket.emit('output', buildOutput({ invocationId: generateId('inv') }));
    await waitFor(async () => expect(await read(name)).toBe(before + 2), 20_000);
    expect(await read('relay_live_messages_total{type="output"}')).toBe(received + 2);
    sendMarker();
    expect((await stream.waitForEvents(1))[0]!.data.stream).toBe('stderr');
    expect([others[0]!.socket.socket.connected, fixture.machine.socket.socket.connected]).toEqual([true, true]);
  });

  it('is dropped above the rate, and the device stays connected', async () => {
    const name = 'relay_live_messages_dropped_total{type="output",reason="rate"}';
    const before = await read(name);
    const data = Buffer.alloc(MAX_OUTPUT_BYTES).toString('base64');
    // More than twice the burst, and less than what is tolerated.
    const count = (5 * MEBIBYTE) / MAX_OUTPUT_BYTES;
    for (let n = 0; n < count; n++) {
      fixture.machine.socket.socket.emit('output', buildOutput({ offset: n * MAX_OUTPUT_BYTES, data }));
    }
    await waitFor(async () => expect(await read(name)).toBeGreaterThan(before), 20_000);
    await waitFor(() => {
      sendMarker();
      expect(stream.events.some(({ data: { stream: name } }) => name === 'stderr')).toBe(true);
    }, 20_000);
    const offsets = stream.events
      .filter(({ data: { stream: name } }) => name === 'stdout')
      .map(({ data }) => data.offset);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    expect(offsets.length).toBeLessThan(count);
    expect(fixture.machine.socket.socket.connected).toBe(true);
    expect((await fixture.get(invocation.id)).status).toBe(200);
  });

  it.each([
    ['watched', () => buildOutput()],
    ['unwatched', () => buildOutput({ invocationId: generateId('inv') })],
  ])('closes the socket of a device that floods the service with %s output', async (_, build) => {
    const closed = waitForClose();
    const output = { ...build(), data: Buffer.alloc(MAX_OUTPUT_BYTES).toString('base64') };
    const { socket } = fixture.machine.socket;
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    // Waits for the socket to take the data, so that the test itself does not collect all of it.
    for (let n = 0; n < 4_000 && !isClosed; n++) {
      socket.emit('output', output);
      if (n % 16 === 15) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await closed).toEqual({ code: 1008, reason: 'too_many_bytes' });
  });

  it('is dropped for a client that reads nothing, which keeps its stream, and reaches the others', async () => {
    const name = 'event_stream_dropped_live_events_total{type="output"}';
    const before = await read(name);
    const { hostname, port } = new URL(fixture.relay.service.url);
    const path = fixture.getPath(`/${invocation.id}/events`);
    const stalled = connect(Number(port), hostname);
    stalled.on('error', () => undefined);
    stalled.pause();
    stalled.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${fixture.relay.token}\r\n\r\n`);
    const registry = fixture.relay.service.app.get(EventStreamRegistry, { strict: false });
    try {
      await waitFor(() => expect([...registry.listStreams()]).toHaveLength(2), 20_000);
      const data = Buffer.alloc(MAX_OUTPUT_BYTES).toString('base64');
      let offset = 0;
      await waitFor(async () => {
        fixture.machine.socket.socket.emit('output', buildOutput({ offset: offset++, data }));
        expect(await read(name)).toBeGreaterThan(before);
      }, 90_000);
      await waitFor(() => {
        // One that exceeds the rate is dropped.
        sendMarker();
        expect(stream.events.at(-1)!.data.stream).toBe('stderr');
      }, 20_000);
      expect([...registry.listStreams()].map(({ isClosed }) => isClosed)).toEqual([false, false]);
    } finally {
      stalled.destroy();
    }
  }, 120_000);

  it('never reaches the log', async () => {
    const secret = Buffer.from('the quick brown fox').toString('base64');
    fixture.machine.socket.socket.emit('output', buildOutput({ data: secret }));
    await stream.waitForEvents(1);
    const closed = waitForClose();
    fixture.machine.socket.socket.emit('output', buildOutput({ data: secret, offset: -1 }));
    await closed;
    expect(fixture.relay.service.logs.join('')).not.toContain(secret);
  });
});
