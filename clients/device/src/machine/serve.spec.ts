import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInvokeRequest, createMessageRequest, ServedMachine, waitUntil } from '../testing/served-machine';

// A real socket.io server stands for the service.
const folder = mkdtempSync(join(tmpdir(), 'serve-'));
afterAll(() => rmSync(folder, { recursive: true }));

let served: ServedMachine;
beforeEach(async () => (served = await ServedMachine.start({ cwd: folder })));
afterEach(() => served.stop());

const createShellRequest = (script: string) => createInvokeRequest('sh', ['-c', script]);

it('serves under the ids that it registered', () => {
  expect(served.runner.identity).toMatchObject({
    machineId: expect.stringMatching(/^mch_/),
    sessionId: 'ses_1',
    sessionTag: expect.stringMatching(/^machine-([0-9a-z]{4}-?){4}$/),
  });
  expect(served.service.sockets[0]?.handshake.auth.capabilities).toEqual([
    'session.message',
    'machine.invoke',
    'session.sealed',
    'invocation',
  ]);
});

it('runs commands and answers messages', async () => {
  expect(await served.service.callDevice(createInvokeRequest('pwd'))).toMatchObject({
    ok: true,
    result: { exitCode: 0, stdout: `${folder}\n`, timedOut: false },
  });
  const message = createMessageRequest('hello');
  expect(await served.service.callDevice(message)).toEqual({
    ok: true,
    result: { accepted: true, messageId: `msg_${message.requestId}:user`, reply: 'hello' },
  });
  expect(await served.service.callDevice(createInvokeRequest('no-such-command'))).toMatchObject({
    ok: false,
    error: { code: 'command_not_found' },
  });
  expect(await served.service.callDevice({ nonsense: true })).toMatchObject({
    ok: false,
    error: { code: 'internal' },
  });
  expect(served.countEvents('call')).toBe(3);
});

it('cancels a running command', async () => {
  const request = createInvokeRequest('sleep', ['60']);
  const answer = served.service.callDevice(request);
  await sleep(100);
  served.service.sockets[0]?.emit('relay:cancel', { requestId: request.requestId, reason: 'caller_gone' });
  expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
});

it('does not begin what was cancelled before it came', async () => {
  const file = join(folder, 'overtaken');
  const request = createInvokeRequest('touch', [file]);
  served.service.sockets[0]?.emit('relay:cancel', { requestId: request.requestId, reason: 'caller_gone' });
  expect(await served.service.callDevice(request)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(existsSync(file)).toBe(false);
});

it('never runs the same request twice', async () => {
  const file = join(folder, 'twice');
  const request = createShellRequest(`echo run >> ${file}; sleep 0.2; cat ${file}`);
  const [first, second] = await Promise.all([served.service.callDevice(request), served.service.callDevice(request)]);
  expect(first).toMatchObject({ ok: true, result: { stdout: 'run\n' } });
  expect(second).toEqual(first);
  expect(await served.service.callDevice(request)).toMatchObject({ ok: false, error: { code: 'internal' } });
});

it('begins nothing past its deadline, by the clock of the service', async () => {
  const past = { ...createInvokeRequest('true'), deadline: Date.now() - 1_000 };
  expect(await served.service.callDevice(past)).toMatchObject({ ok: false, error: { code: 'cancelled' } });

  served.service.clockAheadMs = 60_000;
  served.service.sockets.at(-1)?.disconnect(true);
  await waitUntil(() => served.service.sockets.length === 3);
  await waitUntil(() => served.countEvents('connected') === 3);
  expect(await served.service.callDevice(createInvokeRequest('true'))).toMatchObject({
    ok: false,
    error: { code: 'cancelled' },
  });
  const ahead = { ...createInvokeRequest('true'), deadline: Date.now() + 65_000 };
  expect(await served.service.callDevice(ahead)).toMatchObject({ ok: true });
});

it('ends what runs when it is stopped, and says so to the caller', async () => {
  const file = join(folder, 'late');
  const answer = served.service.callDevice(createShellRequest(`sleep 1; touch ${file}`));
  await sleep(100);
  await served.runner.stop();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  await waitUntil(() => served.connectedSockets === 0);
  await sleep(1100);
  expect(existsSync(file)).toBe(false);
});

it('answers messages with a program where one is given', async () => {
  await served.stop();
  const script = join(folder, 'answer.sh');
  writeFileSync(script, '#!/bin/sh\nread line; echo "heard: $line"\n', { mode: 0o755 });
  served = await ServedMachine.start({ onMessage: [script] });
  expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({
    result: { reply: 'heard: hello\n' },
  });
});
