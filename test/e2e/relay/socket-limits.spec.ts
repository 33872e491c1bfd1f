import { connect } from 'node:net';
import { once } from 'node:events';
import { UnjoinedSocketLimiter } from '../../../src/modules/device-gateway/sockets/unjoined-socket-limiter';
import { RawSocket } from '../../support/device/raw-socket';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const KIB = 1_024;

describe('a device socket that has not joined', () => {
  let fixture: RelayFixture;
  const open: RawSocket[] = [];

  beforeAll(async () => {
    fixture = await RelayFixture.start({ TRUST_PROXY: '1' });
  });
  afterEach(() => open.splice(0).forEach((socket) => socket.close()));
  afterAll(() => fixture?.stop());

  async function raw(address = '192.0.2.1', query: Record<string, string> = {}): Promise<RawSocket> {
    const socket = await RawSocket.openSocket(fixture.service.url, { 'X-Forwarded-For': address }, query);
    open.push(socket);
    return socket;
  }
  const fill = (address: string) => Promise.all(Array.from({ length: 20 }, () => raw(address)));

  /** Returns the response to a rejected upgrade, which clients hide. */
  async function readRefusal(address: string): Promise<{ head: string; problem: unknown }> {
    const { port } = new URL(fixture.service.url);
    const socket = connect(Number(port), '127.0.0.1');
    const path = '/v1/devices/socket/?EIO=4&transport=websocket';
    socket.write(
      [
        `GET ${path} HTTP/1.1`,
        'Host: localhost',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        `X-Forwarded-For: ${address}`,
        '\r\n',
      ].join('\r\n'),
    );
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    await once(socket, 'close');
    const [head, body] = answer.split('\r\n\r\n');
    return { head: head!, problem: JSON.parse(body!) as unknown };
  }

  it('is closed after five seconds, with a reason, also when its handshake was rejected', async () => {
    const openedAt = performance.now();
    const [silent, rejected] = [await raw(), await raw()];
    rejected.sendPacket('0{"token":"no token"}');
    expect(await silent.closed).toEqual({ code: 1008, reason: 'join_timeout' });
    expect(performance.now() - openedAt).toBeGreaterThan(4_500);
    expect(await rejected.closed).toEqual({ code: 1008, reason: 'join_timeout' });
    expect(rejected.receivedPackets).toContainEqual(expect.stringContaining('invalid_token'));
  });

  it.each([
    ['a binary frame', Buffer.from('x')],
    ['a CONNECT to another namespace', '0/zzz,{}'],
    ['an event', '2["hello"]'],
    ['an event with an attachment', '451-["x",{"_placeholder":true,"num":0}]'],
    ['an acknowledgement', '31[{}]'],
    ['what is no packet', 'garbage'],
  ])('is closed for %s', async (_, packet) => {
    const socket = await raw();
    socket.sendPacket(packet);
    expect(await socket.closed).toEqual({ code: 1008, reason: 'unexpected_packet' });
  });

  it('is closed at once', async () => {
    const durations: number[] = [];
    for (let n = 0; n < 5; n++) {
      const socket = await raw();
      const sentAt = performance.now();
      socket.sendPacket('garbage');
      await socket.closed;
      durations.push(performance.now() - sentAt);
    }
    // Some may wait for a busy machine.
    expect(Math.min(...durations)).toBeLessThan(300);
  });

  it('may try another token once the first one is rejected', async () => {
    const socket = await raw('192.0.2.4');
    socket.sendPacket('0{"token":"no token"}');
    await waitFor(() => expect(socket.receivedPackets.join()).toContain('invalid_token'));
    socket.sendPacket(`0{"token":"${fixture.ada.token}"}`);
    await waitFor(() => expect(socket.receivedPackets.join()).toContain('hello'));
  });

  it('is closed for a second CONNECT before the first is answered', async () => {
    const socket = await raw();
    socket.sendPacket('0{"token":"no token"}');
    socket.sendPacket('0{"token":"no token"}');
    expect(await socket.closed).toEqual({ code: 1008, reason: 'unexpected_packet' });
  });

  it('is closed for more than 64 KiB, before a frame of it is complete', async () => {
    const socket = await raw();
    socket.sendPacket(`0{"token":"${'x'.repeat(64 * KIB)}"}`);
    expect(await socket.closed).toEqual({ code: 1008, reason: 'too_many_bytes' });
  });

  it('is limited to 20 per address, IPv6 by /64; more get 429', async () => {
    const sockets = await fill('2001:db8::1');
    await expect(raw('2001:db8::ffff')).rejects.toMatchObject({ status: 429 });
    await expect(raw('2001:db8:0:1::1')).resolves.toBeDefined();
    sockets[0]!.close();
    await waitFor(() => expect(raw('2001:db8::ffff')).resolves.toBeDefined());
  });

  it('lets no other connection join it, which no limit would count', async () => {
    const sid = (await raw()).id;
    await expect(raw('192.0.2.1', { sid })).rejects.toMatchObject({ status: 400 });
    const path = `/v1/devices/socket/?EIO=4&transport=websocket&sid=${sid}`;
    expect((await fixture.http.get(path)).status).toBe(400);
  });

  it('no longer counts once it has joined', async () => {
    for (let n = 0; n < 25; n++) {
      const socket = await raw('192.0.2.2');
      socket.sendPacket(`0{"token":"${fixture.ada.token}"}`);
      await waitFor(() => expect(socket.receivedPackets.join()).toContain('hello'));
    }
  });

  it('gets a problem document beyond the limit of its address', async () => {
    await fill('192.0.2.3');
    const { head, problem } = await readRefusal('192.0.2.3');
    expect(head).toMatch(/^HTTP\/1\.1 429 Too Many Requests/);
    expect(head).toMatch(/Content-Type: application\/problem\+json/i);
    expect(head).toMatch(/Retry-After: 5/i);
    expect(problem).toMatchObject({ status: 429, code: 'rate_limited', bucket: 'unjoined-sockets' });
  });

  it('gets a problem document beyond the limit of the instance', async () => {
    const limiter = fixture.service.app.get(UnjoinedSocketLimiter, { strict: false });
    const full = jest.spyOn(limiter, 'acquireSlot').mockReturnValue('instance');
    try {
      const { head, problem } = await readRefusal('192.0.2.5');
      expect(head).toMatch(/^HTTP\/1\.1 503 Service Unavailable/);
      expect(head).toMatch(/Retry-After: 5/i);
      expect(problem).toMatchObject({ status: 503, code: 'service_unavailable', outcome: 'not_delivered' });
    } finally {
      full.mockRestore();
    }
  });
});

describe('a device socket that has joined', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    connectedMachine = await fixture.createMachine();
  });
  afterEach(() => connectedMachine.socket.close());
  afterAll(() => fixture?.stop());

  /** Returns the close frame of the machine's socket. */
  function closed(): Promise<{ code: number; reason: string }> {
    return new Promise((resolve) => {
      connectedMachine.socket.socket.once('disconnect', (_, details) => {
        const { code, reason } = (details as unknown as { context: { code: number; reason: string } }).context;
        resolve({ code, reason });
      });
    });
  }
  const write = (packet: string | Buffer) => connectedMachine.socket.socket.io.engine.write(packet);

  it.each([
    ['an event', '2["relay:request",{}]'],
    ['an event with an acknowledgement', '21["hello"]'],
    ['a CONNECT', '0{}'],
    ['a binary frame', Buffer.from('x')],
  ])('is closed for %s, and its calls end', async (_, packet) => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const call = fixture.invokeMachine(connectedMachine.id);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    const end = closed();
    write(packet);
    expectProblem(await call, 502, 'device_disconnected');
    expectProblem(await fixture.invokeMachine(connectedMachine.id), 503, 'no_online_device');
    expect(await end).toEqual({ code: 1008, reason: 'unexpected_packet' });
  });

  it('is closed for more bytes than its calls allow', async () => {
    const end = closed();
    // Acknowledgements of requests that were never sent.
    for (let n = 0; n < 12; n++) write(`3999["${'x'.repeat(KIB * KIB)}"]`);
    expect(await end).toEqual({ code: 1008, reason: 'too_many_bytes' });
  });

  it('may send more bytes for more calls', async () => {
    const large = { ok: true, result: { text: 'x'.repeat(3 * KIB * KIB - 100) } };
    connectedMachine.socket.setHandler(() => large);
    for (let n = 0; n < 30; n++) expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
    expect(connectedMachine.socket.socket.connected).toBe(true);
  });
});
