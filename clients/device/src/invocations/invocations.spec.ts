import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryKeyStore } from '../index';
import { InvokingMachine } from '../testing/invoking-machine';
import { createInvokeRequest, waitUntil } from '../testing/served-machine';

const folder = mkdtempSync(join(tmpdir(), 'invocations-'));
let machine: InvokingMachine;
let serial = 0;
const NOT_EXECUTABLE = join(folder, 'not-executable');
writeFileSync(NOT_EXECUTABLE, 'text', { mode: 0o600 });
const createPath = () => join(folder, String(++serial));

beforeEach(async () => {
  machine = await InvokingMachine.start();
});
afterEach(() => machine.stop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the process number that a script has written to a file. */
async function readPid(path: string): Promise<number> {
  await waitUntil(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'), 20_000);
  return Number(readFileSync(path, 'utf8'));
}

it('answers with the first report as soon as the command runs, and reports its end', async () => {
  const path = createPath();
  const request = machine.createStart('sh', [
    '-c',
    `until [ -e ${path} ]; do sleep 0.02; done; echo out; echo err >&2; exit 3`,
  ]);
  const answer = await machine.served.service.callDevice(request);
  const running = { revision: 1, state: 'running', exitCode: null, startedAt: expect.any(Number), endedAt: null };
  expect(answer).toMatchObject({ ok: true, result: running });
  await machine.served.service.callDevice(createInvokeRequest('touch', [path]));
  expect(await machine.waitForEnd(request.requestId)).toMatchObject({
    revision: 2,
    state: 'completed',
    exitCode: 3,
    signal: null,
    stdoutBytes: 4,
    stderrBytes: 4,
  });
}, 60_000);

it('reads both streams by offset, until their end', async () => {
  const requestId = await machine.startScript('printf 0123456789; printf abc >&2');
  await machine.waitForEnd(requestId);
  expect(await machine.readOutput(requestId, { offset: 2, limit: 3 })).toMatchObject({
    stream: 'stdout',
    offset: 2,
    nextOffset: 5,
    totalBytes: 10,
    text: '234',
    eof: false,
  });
  expect(await machine.readOutput(requestId, { offset: 5 })).toMatchObject({
    text: '56789',
    nextOffset: 10,
    eof: true,
  });
  expect(await machine.readOutput(requestId, { offset: 99 })).toMatchObject({ offset: 10, text: '', eof: true });
  expect(await machine.readOutput(requestId, { stream: 'stderr' })).toMatchObject({ text: 'abc', eof: true });
}, 60_000);

it('shows output while the command runs, without its end', async () => {
  const requestId = await machine.startScript('echo begun; exec sleep 600');
  let output = await machine.readOutput(requestId);
  while (output.text === '') output = await machine.readOutput(requestId);
  expect(output).toMatchObject({ text: 'begun\n', eof: false });
  expect(await machine.cancel(requestId)).toMatchObject({ ok: true, result: { state: 'cancelled' } });
  expect(await machine.readOutput(requestId)).toMatchObject({ text: 'begun\n', eof: true });
}, 60_000);

it.each([
  ['command_not_found', { command: 'no-such-command-anywhere' }],
  ['permission_denied', { command: NOT_EXECUTABLE }],
  ['cwd_not_found', { cwd: '/no/such/folder' }],
])(
  'does not start what it cannot, and reports it: %s',
  async (code, params) => {
    const request = machine.createStart('true', [], params);
    expect(await machine.served.service.callDevice(request)).toMatchObject({ ok: false, error: { code } });
    expect(await machine.waitForEnd(request.requestId)).toMatchObject({
      state: 'failed',
      errorCode: code,
      startedAt: null,
    });
  },
  60_000,
);

it('ends a command and its children at the time limit, also if they ignore SIGTERM', async () => {
  const path = createPath();
  const script = `trap '' TERM; sh -c 'trap "" TERM; echo $$ > ${path}; while :; do sleep 0.1; done'`;
  const requestId = await machine.startScript(script, { timeoutMs: 1_500 });
  const pid = await readPid(path);
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'timed_out', timedOut: true, signal: 'SIGKILL' });
  await waitUntil(() => !isAlive(pid), 20_000);
}, 60_000);

it('lets a cancelled command clean up', async () => {
  const requestId = await machine.startScript(
    `trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.05; done`,
  );
  while ((await machine.readOutput(requestId)).text === '');
  expect(await machine.cancel(requestId)).toMatchObject({ ok: true, result: { state: 'cancelled' } });
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'cancelled', exitCode: 7, signal: null });
  expect((await machine.readOutput(requestId)).text).toBe('ready\ncleaned\n');
  expect(await machine.cancel(requestId)).toMatchObject({ ok: true, result: { state: 'cancelled' } });
}, 60_000);

it('ends with its leader, and ends what is left of the group', async () => {
  const path = createPath();
  const requestId = await machine.startScript(`sleep 600 & echo $! > ${path}; echo done`);
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'completed', exitCode: 0 });
  const pid = await readPid(path);
  await waitUntil(() => !isAlive(pid), 20_000);
  expect(await machine.readOutput(requestId)).toMatchObject({ text: 'done\n', eof: true });
}, 60_000);

it.each([
  ['is silent', 'sleep 600'],
  ['floods the output', 'yes'],
])(
  'is not kept open by a daemon with a session of its own that %s',
  async (_, daemon) => {
    const path = createPath();
    const requestId = await machine.startScript(
      `setsid sh -c 'echo $$ > ${path}; exec ${daemon}' & until [ -s ${path} ]; do :; done; echo left`,
    );
    expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'completed', exitCode: 0 });
    expect((await machine.readOutput(requestId, { offset: Number.MAX_SAFE_INTEGER })).eof).toBe(true);
    const pid = await readPid(path);
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  },
  60_000,
);

it('refuses a ninth command at a time before it does anything', async () => {
  const ids = [];
  for (let count = 0; count < 8; count++) ids.push(await machine.startScript('exec sleep 600'));
  const refused = machine.createStart('true');
  expect(await machine.served.service.callDevice(refused)).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(machine.getRecord(refused.requestId)).toMatchObject({ state: 'starting' });
  await machine.cancel(ids[0]!);
  expect(await machine.served.service.callDevice(machine.createStart('true'))).toMatchObject({ ok: true });
}, 60_000);

it('counts a command once that runs and whose start is still being saved', async () => {
  await machine.stop();
  const store = new MemoryKeyStore();
  const files = store.openInvocationFiles();
  store.openInvocationFiles = () => files;
  const save = files.saveEntry.bind(files);
  let isSlow = false;
  let waitingCount = 0;
  let goOn: () => void = () => undefined;
  const saved = new Promise<void>((resolve) => (goOn = resolve));
  files.saveEntry = async (entry) => {
    if (isSlow && entry.report?.state === 'running' && ++waitingCount) await saved;
    await save(entry);
  };
  machine = await InvokingMachine.start({ store });
  for (let count = 0; count < 6; count++) await machine.startScript('exec sleep 600');
  isSlow = true;
  const start = () => machine.served.service.callDevice(machine.createStart('sleep', ['600']));
  const seventh = start();
  await waitUntil(() => waitingCount === 1);
  const eighth = start();
  await waitUntil(() => waitingCount === 2);
  expect(await start()).toMatchObject({ ok: false, error: { code: 'busy' } });
  goOn();
  expect(await Promise.all([seventh, eighth])).toMatchObject([{ ok: true }, { ok: true }]);
}, 60_000);

it('refuses a command that it cannot record, before it does anything', async () => {
  await machine.stop();
  const store = new MemoryKeyStore();
  const files = store.openInvocationFiles();
  store.openInvocationFiles = () => files;
  const save = files.saveEntry.bind(files);
  // The last step of the write fails.
  files.saveEntry = async (entry) => {
    await save(entry);
    throw new Error('ENOSPC');
  };
  machine = await InvokingMachine.start({ store });
  const path = createPath();
  const start = () => machine.served.service.callDevice(machine.createStart('touch', [path]));
  expect(await start()).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(existsSync(path)).toBe(false);
  expect(await files.loadEntries(() => undefined)).toEqual([]);
  files.saveEntry = save;
  expect(await start()).toMatchObject({ ok: true });
}, 60_000);

it('starts a command once for each request', async () => {
  const path = createPath();
  const request = machine.createStart('sh', ['-c', `echo run >> ${path}; exec sleep 600`]);
  const answers = await Promise.all([1, 2].map(() => machine.served.service.callDevice(request)));
  expect(answers[1]).toEqual(answers[0]);
  await waitUntil(() => existsSync(path));
  expect(readFileSync(path, 'utf8')).toBe('run\n');
}, 60_000);

it('ends a command that is cancelled while it is about to run', async () => {
  const request = machine.createStart('sleep', ['600']);
  const started = machine.served.service.callDevice(request);
  expect(await machine.cancel(request.requestId)).toMatchObject({ ok: true, result: { state: 'cancelled' } });
  expect(await started).toMatchObject({ ok: true, result: { state: 'running' } });
  expect(await machine.waitForEnd(request.requestId)).toMatchObject({ state: 'cancelled', errorCode: null });
}, 60_000);

it('goes on when the caller disconnects after the start', async () => {
  const requestId = await machine.startScript('sleep 0.3; echo finished');
  machine.served.service.sockets.at(-1)!.emit('relay:cancel', { requestId, reason: 'caller_gone' });
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'completed', exitCode: 0 });
}, 60_000);

it('never starts a command whose caller disconnected before', async () => {
  const path = createPath();
  const request = machine.createStart('touch', [path]);
  const socket = machine.served.service.sockets.at(-1)!;
  socket.emit('relay:cancel', { requestId: request.requestId, reason: 'caller_gone' });
  expect(await machine.served.service.callDevice(request, socket)).toMatchObject({ ok: false });
  expect(existsSync(path)).toBe(false);
}, 60_000);

it('never starts a command that another connection has cancelled before', async () => {
  const path = createPath();
  const request = machine.createStart('touch', [path]);
  expect(await machine.cancel(request.requestId)).toMatchObject({ ok: true, result: { state: 'failed' } });
  const refused = { ok: false, error: { code: 'cancelled' } };
  expect(await machine.served.service.callDevice(request)).toMatchObject(refused);
  expect(existsSync(path)).toBe(false);
  expect(await machine.waitForEnd(request.requestId)).toMatchObject({ state: 'failed', startedAt: null });
}, 60_000);

it('does not keep the output of an unknown invocation', async () => {
  expect(await machine.callOutput('req_unknown')).toMatchObject({ ok: false, error: { code: 'output_not_found' } });
});

it('reports an invocation as lost that it is to cancel and does not know', async () => {
  machine.served.service.invocations.addStarting('req_unknown', { state: 'running', startedAt: 1_000 });
  expect(await machine.cancel('req_unknown')).toMatchObject({ ok: true, result: { state: 'failed' } });
  expect(await machine.waitForEnd('req_unknown')).toMatchObject({ state: 'failed', errorCode: 'process_lost' });
});

it('writes a gigabyte with constant memory, keeps its end, and serves other calls meanwhile', async () => {
  const bytes = 1_000_000_000;
  const before = process.memoryUsage().rss;
  let peak = before;
  const requestId = await machine.startScript(`yes 0123456789abcde | head -c ${bytes}`, { timeoutMs: 600_000 });
  let calls = 0;
  for (; machine.getRecord(requestId).endedAt === null; calls++) {
    expect(await machine.served.service.callDevice(createInvokeRequest('true'))).toMatchObject({ ok: true });
    expect(await machine.readOutput(requestId, { offset: 0, limit: 1_000 })).toMatchObject({
      nextOffset: expect.any(Number),
    });
    peak = Math.max(peak, process.memoryUsage().rss);
    // The calls must not take the processors from the command.
    await sleep(500);
  }
  expect(calls).toBeGreaterThan(1);
  expect(machine.getRecord(requestId)).toMatchObject({ state: 'completed', stdoutBytes: bytes });
  expect(peak - before).toBeLessThan(150_000_000);
  const oldest = await machine.readOutput(requestId, { offset: 0, limit: 32 });
  expect(oldest).toMatchObject({
    offset: bytes - 4 * 1_048_576,
    text: '0123456789abcde\n0123456789abcde\n',
    eof: false,
  });
  expect((await machine.readOutput(requestId, { offset: bytes - 16 })).text).toBe('0123456789abcde\n');
}, 300_000);
