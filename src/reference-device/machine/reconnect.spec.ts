import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService } from '../testing/fake-service';
import { invokeRequest, ServedMachine, until } from '../testing/served-machine';

let served: ServedMachine;
beforeEach(async () => (served = await ServedMachine.start()));
afterEach(() => served.stop());

const sh = (script: string) => invokeRequest('sh', ['-c', script]);

it('connects anew before it leaves a connection that drains, and finishes there what it began', async () => {
  const [old] = served.service.sockets;
  const began = served.service.call(sh('sleep 1.5; echo finished'), old);
  await sleep(50);
  old?.emit('relay:drain', { withinMs: 20_000 });
  await until(() => served.service.sockets.length === 2);
  expect(old?.connected).toBe(true);
  expect(await served.service.call(invokeRequest('echo', ['new']))).toMatchObject({
    result: { stdout: 'new\n' },
  });
  expect(await began).toMatchObject({ ok: true, result: { stdout: 'finished\n' } });
  await until(() => old?.connected === false);
  await sleep(200);
  expect(served.service.sockets).toHaveLength(2);
  expect(served.connectedSockets).toBe(1);
  expect(served.count('disconnected')).toBe(0);
});

it('moves on when the next instance drains too, without a hot loop', async () => {
  served.service.drainsNewSockets = 3;
  served.service.sockets[0]?.emit('relay:drain', { withinMs: 1000 });
  await until(() => served.service.sockets.length === 5);
  await until(() => served.connectedSockets === 1);
  await sleep(300);
  expect(served.service.sockets).toHaveLength(5);
  expect(await served.service.call(invokeRequest('true'))).toMatchObject({ ok: true });
});

it('comes back when the service does, without a hot loop', async () => {
  const port = Number(new URL(served.service.url).port);
  const { accounts } = served.service;
  await served.service.stop();
  await sleep(600);
  expect(served.count('waiting')).toBeLessThan(10);
  const again = new FakeService();
  Object.assign(again, { accounts });
  served.service = await again.start(port);
  await until(() => served.service.sockets.length === 1);
  expect(await served.service.call(invokeRequest('true'))).toMatchObject({ ok: true });
});

it('signs in again when the token is not taken any more', async () => {
  served.service.accounts.tokens.clear();
  served.service.sockets[0]?.disconnect(true);
  await until(() => served.service.sockets.length === 2);
  expect(await served.service.call(invokeRequest('true'))).toMatchObject({ ok: true });
});

it('gives up once it is revoked', async () => {
  served.service.accounts.devices.at(-1)!.revoked = true;
  served.service.sockets[0]?.disconnect(true);
  await expect(served.serving.failed).rejects.toThrow('This device was revoked');
  await served.serving.stop();
});

it('stops while it waits for a service that is away', async () => {
  await served.serving.stop();
  await served.service.stop();
  const starting = served.machine.serve({ signal: AbortSignal.timeout(200) });
  await expect(starting).rejects.toMatchObject({ name: 'AbortError' });
});
