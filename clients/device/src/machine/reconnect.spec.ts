import { setTimeout as sleep } from 'node:timers/promises';
import { SignedInDevice } from '../signed-in-device';
import { FakeService } from '../testing/fake-service';
import { createInvokeRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
beforeEach(async () => (served = await ServedMachine.start()));
afterEach(() => served.stop());

const createShellRequest = (script: string) => createInvokeRequest('sh', ['-c', script]);

it('connects anew before it leaves a connection that drains, and finishes there what it began', async () => {
  const [old] = served.service.sockets;
  const began = served.service.callDevice(createShellRequest('sleep 1.5; echo finished'), old);
  await sleep(50);
  old?.emit('relay:drain', { withinMs: 20_000 });
  await waitUntil(() => served.service.sockets.length === 2);
  expect(old?.connected).toBe(true);
  expect(await served.service.callDevice(createInvokeRequest('echo', ['new']))).toMatchObject({
    result: { stdout: 'new\n' },
  });
  expect(await began).toMatchObject({ ok: true, result: { stdout: 'finished\n' } });
  await waitUntil(() => old?.connected === false);
  await sleep(200);
  expect(served.service.sockets).toHaveLength(2);
  expect(served.connectedSockets).toBe(1);
  expect(served.countEvents('disconnected')).toBe(0);
});

it('connects anew with a new token before its token expires', async () => {
  const startTimer = jest.spyOn(globalThis, 'setInterval');
  await served.runner.stop();
  served.runner = await served.machine.startServing();
  const checks = startTimer.mock.calls.filter(([, ms]) => ms === 3_600_000).map(([check]) => check);
  startTimer.mockRestore();
  const needsRenewal = jest.spyOn(SignedInDevice.prototype, 'needsRenewal');
  // Of the connection, and of its token.
  needsRenewal.mockReturnValueOnce(true).mockReturnValueOnce(true);
  checks.forEach((check) => check());
  await waitUntil(() => served.service.sockets.length === 3);
  needsRenewal.mockRestore();
  expect(new Set(served.service.sockets.map(({ handshake }) => String(handshake.auth.token))).size).toBe(3);
  await waitUntil(() => served.connectedSockets === 1);
  expect(served.countEvents('disconnected')).toBe(0);
});

it('moves on when the next instance drains too, without a hot loop', async () => {
  served.service.socketsToDrain = 3;
  served.service.sockets[0]?.emit('relay:drain', { withinMs: 1000 });
  await waitUntil(() => served.service.sockets.length === 5);
  await waitUntil(() => served.connectedSockets === 1);
  await sleep(300);
  expect(served.service.sockets).toHaveLength(5);
  expect(await served.service.callDevice(createInvokeRequest('true'))).toMatchObject({ ok: true });
});

it('comes back when the service does, without a hot loop', async () => {
  const port = Number(new URL(served.service.url).port);
  const { accounts } = served.service;
  await served.service.stop();
  await sleep(600);
  expect(served.countEvents('waiting')).toBeLessThan(10);
  const again = new FakeService();
  Object.assign(again, { accounts });
  served.service = await again.start(port);
  await waitUntil(() => served.service.sockets.length === 1);
  expect(await served.service.callDevice(createInvokeRequest('true'))).toMatchObject({ ok: true });
});

it('waits for a service that names its time, without which no deadline can be evaluated', async () => {
  served.service.clockAheadMs = NaN;
  served.service.sockets[0]?.disconnect(true);
  await waitUntil(() => served.countEvents('waiting') > 0);
  expect(served.countEvents('connected')).toBe(1);
  served.service.clockAheadMs = 0;
  await waitUntil(() => served.countEvents('connected') === 2);
  expect(await served.service.callDevice(createInvokeRequest('true'))).toMatchObject({ ok: true });
});

it.each([
  ['ahead', 3_600_000],
  ['back', -3_600_000],
])("gets the service's time again and serves calls after this computer's clock was set %s", async (_, shiftMs) => {
  const getServiceTime = Date.now;
  served.service.clockAheadMs = -shiftMs;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => getServiceTime() + shiftMs);
  try {
    await waitUntil(() => served.countEvents('connected') === 2);
    const request = { ...createInvokeRequest('true'), deadline: getServiceTime() + 8_000 };
    expect(await served.service.callDevice(request)).toMatchObject({ ok: true });
  } finally {
    clock.mockRestore();
  }
});

describe.each([true, false])('a service that sends its time with each call: %s', (sendsTime) => {
  it.each([-60_000, 3_600_000])(
    "serves the next call after the service's clock was set by %d ms, and the one after it was set right",
    async (stepMs) => {
      for (const clockAheadMs of [stepMs, 0]) {
        served.service.clockAheadMs = clockAheadMs;
        const serverTime = Date.now() + clockAheadMs;
        const call = { ...createInvokeRequest('true'), deadline: serverTime + 8_000, ...(sendsTime && { serverTime }) };
        expect(await served.service.callDevice(call)).toMatchObject({ ok: true });
      }
      expect(served.countEvents('disconnected')).toBe(0);
    },
  );

  it('does not run a call that was on its way beyond its deadline, whatever time the call names', async () => {
    const serverTime = Date.now() - 20_000;
    const call = { ...createInvokeRequest('true'), deadline: serverTime + 8_000, ...(sendsTime && { serverTime }) };
    expect(await served.service.callDevice(call)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    await waitUntil(() => served.connectedSockets === 1);
    expect(await served.service.callDevice(createInvokeRequest('true'))).toMatchObject({ ok: true });
  });
});

it('signs in again when the token is not taken any more', async () => {
  served.service.accounts.tokens.clear();
  served.service.sockets[0]?.disconnect(true);
  await waitUntil(() => served.service.sockets.length === 2);
  expect(await served.service.callDevice(createInvokeRequest('true'))).toMatchObject({ ok: true });
});

it('gives up once it is revoked', async () => {
  served.service.accounts.devices.at(-1)!.revoked = true;
  served.service.sockets[0]?.disconnect(true);
  await expect(served.runner.failed).rejects.toThrow('This device was revoked');
  await served.runner.stop();
});

it('stops while it waits for a service that is away', async () => {
  await served.runner.stop();
  await served.service.stop();
  const starting = served.machine.startServing({ signal: AbortSignal.timeout(200) });
  await expect(starting).rejects.toMatchObject({ name: 'AbortError' });
});

it('stops at once while the service does not answer', async () => {
  await served.runner.stop();
  served.service.delayRequest = () => new Promise(() => undefined);
  const startedAt = performance.now();
  const starting = served.machine.startServing({ signal: AbortSignal.timeout(200) });
  await expect(starting).rejects.toMatchObject({ name: 'AbortError' });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

it('waits at least the longest delay when the service closed the socket for a violation', async () => {
  const [socket] = served.service.sockets;
  const { socket: webSocket } = socket!.conn.transport as unknown as {
    socket: { close(code: number, reason: string): void };
  };
  const closedAt = performance.now();
  webSocket.close(1008, 'unexpected_packet');
  await waitUntil(() => served.service.sockets.length === 2);
  expect(performance.now() - closedAt).toBeGreaterThan(195);
  expect(served.events).toContainEqual({
    event: 'disconnected',
    reason: 'the service closed the socket: unexpected_packet',
  });
});

describe('a connection that a newer one replaces', () => {
  function replace(): void {
    const socket = served.service.sockets.at(-1)!;
    socket.emit('relay:replaced', {});
    socket.disconnect(true);
  }

  it('is opened once more, because this process may have given up the newer one itself', async () => {
    replace();
    await waitUntil(() => served.countEvents('connected') === 2);
    expect(served.events).toContainEqual(
      expect.objectContaining({ event: 'disconnected', reason: 'another connection of this device has replaced it' }),
    );
    await sleep(300);
    expect(served.connectedSockets).toBe(1);
  });

  it('ends the machine the second time, so that two copies of one device do not fight for ever', async () => {
    replace();
    await waitUntil(() => served.countEvents('connected') === 2);
    replace();
    await expect(served.runner.failed).rejects.toMatchObject({ name: 'DeviceReplacedError' });
    await sleep(300);
    expect(served.service.sockets).toHaveLength(2);
  });

  it('does not count if this process replaces it', async () => {
    for (const count of [2, 3, 4]) {
      const old = served.service.sockets.at(-1)!;
      old.emit('relay:drain', { withinMs: 20_000 });
      await waitUntil(() => served.service.sockets.length === count);
      old.emit('relay:replaced', {});
      old.disconnect(true);
      await waitUntil(() => served.countEvents('connected') === count);
    }
    await sleep(300);
    expect(served.connectedSockets).toBe(1);
    expect(served.countEvents('disconnected')).toBe(0);
  });

  it('does not count if the service only ends it', async () => {
    for (const count of [2, 3, 4]) {
      served.service.sockets.at(-1)!.disconnect(true);
      await waitUntil(() => served.countEvents('connected') === count);
    }
    await sleep(300);
    expect(served.connectedSockets).toBe(1);
  });
});
