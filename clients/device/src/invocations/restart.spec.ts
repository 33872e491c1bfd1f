import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnCommand } from '../exec/spawn-command';
import { identifyProcess } from '../exec/process-identity';
import { FileKeyStore } from '../file-key-store';
import { FakeServiceError } from '../testing/fake-accounts';
import { InvokingMachine } from '../testing/invoking-machine';
import { waitUntil } from '../testing/served-machine';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'invocation-restart-'));
let keyFile: string;
let machine: InvokingMachine;
let serial = 0;

beforeEach(async () => {
  keyFile = join(folder, `machine-${++serial}.json`);
  machine = await InvokingMachine.start({ store: new FileKeyStore(keyFile) });
});
afterEach(() => machine.stop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const getFolder = () => `${keyFile}.invocations`;
const listFiles = () => readdirSync(getFolder()).map((name) => join(getFolder(), name));
/** Returns the file with the state of the only invocation. */
const getStatePath = () => listFiles().find((path) => path.endsWith('.json'))!;
const restart = async () => {
  await machine.served.runner.stop();
  machine.served.runner = await machine.served.machine.startServing();
};
const reconnect = async () => {
  const { sockets } = machine.served.service;
  const { length } = sockets;
  sockets.at(-1)!.disconnect();
  await waitUntil(() => sockets.length > length, 20_000);
};

it('keeps states and outputs in files that only their owner can read, without the command', async () => {
  const requestId = await machine.startScript('echo shown # secret', { cwd: '/' });
  await machine.waitForEnd(requestId);
  // The last write of the state may not have ended.
  await waitUntil(() => listFiles().length === 3, 20_000);
  for (const path of listFiles()) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(getFolder()).mode & 0o777).toBe(0o700);
  expect(readFileSync(getStatePath(), 'utf8')).not.toContain('secret');
}, 30_000);

it('ends running commands at a stop, as lost, and still has their output afterwards', async () => {
  const requestId = await machine.startScript('echo begun; exec sleep 600');
  while ((await machine.readOutput(requestId)).text === '');
  await restart();
  expect(await machine.waitForEnd(requestId)).toMatchObject({
    state: 'failed',
    errorCode: 'process_lost',
    exitCode: null,
    stdoutBytes: 6,
  });
  expect(await machine.readOutput(requestId)).toMatchObject({ text: 'begun\n', eof: true });
}, 30_000);

it('reports after a restart what the service could not store before', async () => {
  machine.served.service.invocations.getReportError = ({ state }) =>
    state === 'completed' ? new FakeServiceError(503, 'service_unavailable') : undefined;
  const requestId = await machine.startScript('echo result');
  while (!(await machine.readOutput(requestId)).eof);
  await machine.served.runner.stop();
  expect(machine.getRecord(requestId)).toMatchObject({ endedAt: null });
  machine.served.service.invocations.getReportError = undefined;
  machine.served.runner = await machine.served.machine.startServing();
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'completed', exitCode: 0, stdoutBytes: 7 });
  expect(await machine.readOutput(requestId)).toMatchObject({ text: 'result\n', eof: true });
}, 30_000);

it('waits with its reports for a service that knows invocations', async () => {
  const { service } = machine.served;
  const accepted = service.acceptedCapabilities;
  const requestId = await machine.startScript('sleep 0.5; exit 4');
  service.acceptedCapabilities = undefined;
  await reconnect();
  while (!(await machine.readOutput(requestId)).eof);
  expect(machine.getRecord(requestId)).toMatchObject({ endedAt: null });
  service.acceptedCapabilities = accepted;
  await reconnect();
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'completed', exitCode: 4 });
}, 30_000);

it('fails a command of a killed run, and kills what is left of it', async () => {
  const requestId = await machine.startScript('echo ended');
  await machine.waitForEnd(requestId);
  await machine.served.runner.stop();
  const leftover = await spawnCommand({ command: 'sleep', args: ['600'], cwd: '/', hasInput: false });
  const exited = new Promise((resolve) => leftover.once('exit', (_, signal) => resolve(signal)));
  const path = getStatePath();
  const entry = JSON.parse(readFileSync(path, 'utf8'));
  const report = { ...entry.report, revision: 1, state: 'running', exitCode: null, endedAt: null };
  const running = { ...entry, isSettled: false, report, process: await identifyProcess(leftover.pid!) };
  writeFileSync(path, JSON.stringify(running), { mode: 0o600 });
  machine.served.service.invocations.addStarting(requestId, { ...report, state: 'running' });
  machine.served.runner = await machine.served.machine.startServing();
  expect(await machine.waitForEnd(requestId)).toMatchObject({
    revision: 2,
    state: 'failed',
    errorCode: 'process_lost',
    stdoutBytes: 6,
  });
  expect(await exited).toBe('SIGKILL');
}, 30_000);

it('never kills another process with the number of a command', async () => {
  const requestId = await machine.startScript('true');
  await machine.waitForEnd(requestId);
  await machine.served.runner.stop();
  const innocent = await spawnCommand({ command: 'sleep', args: ['600'], cwd: '/', hasInput: false });
  const path = getStatePath();
  const entry = JSON.parse(readFileSync(path, 'utf8'));
  const report = { ...entry.report, revision: 1, state: 'running', exitCode: null, endedAt: null };
  const other = { pid: innocent.pid!, startedAt: 'earlier' };
  writeFileSync(path, JSON.stringify({ ...entry, isSettled: false, report, process: other }), { mode: 0o600 });
  machine.served.service.invocations.addStarting(requestId, { ...report, state: 'running' });
  machine.served.runner = await machine.served.machine.startServing();
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'failed', errorCode: 'process_lost' });
  expect([innocent.exitCode, innocent.signalCode]).toEqual([null, null]);
  innocent.kill('SIGKILL');
}, 30_000);

it('does not start a command again for the same request', async () => {
  const path = join(folder, `runs-${serial}`);
  const request = machine.createStart('sh', ['-c', `echo run >> ${path}`]);
  const { service } = machine.served;
  expect(await service.callDevice(request)).toMatchObject({ ok: true });
  await machine.waitForEnd(request.requestId);
  await restart();
  expect(await service.callDevice(request)).toMatchObject({ ok: true, result: { state: 'completed' } });
  expect(readFileSync(path, 'utf8')).toBe('run\n');
}, 30_000);

it('reports a running command again that the service has called lost', async () => {
  const requestId = await machine.startScript('exec sleep 600');
  await waitUntil(() => machine.getRecord(requestId).revision === 1, 20_000);
  Object.assign(machine.getRecord(requestId), { state: 'lost' });
  machine.served.service.sockets.at(-1)!.disconnect();
  await waitUntil(() => machine.getRecord(requestId).state === 'running', 20_000);
  expect(machine.getRecord(requestId).revision).toBe(2);
  expect(await machine.cancel(requestId)).toMatchObject({ ok: true, result: { state: 'cancelled' } });
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'cancelled', revision: 3 });
}, 30_000);

it('ends open invocations that it does not know, except those that may still be on their way', async () => {
  const { invocations } = machine.served.service;
  const createdAt = Date.now() - 61_000;
  for (const state of ['starting', 'running', 'lost'] as const)
    invocations.addStarting(`req_${state}`, { state, createdAt });
  invocations.addStarting('req_new');
  machine.served.service.sockets.at(-1)!.disconnect();
  for (const state of ['starting', 'running', 'lost']) {
    expect(await machine.waitForEnd(`req_${state}`)).toMatchObject({ state: 'failed', errorCode: 'process_lost' });
  }
  expect(machine.getRecord('req_new')).toMatchObject({ state: 'starting', revision: 0 });
}, 30_000);

it('deletes output after a day', async () => {
  const { service } = machine.served;
  const requestId = await machine.startScript('echo old');
  await machine.waitForEnd(requestId);
  service.clockAheadMs = DAY_MS + 60_000;
  const count = machine.served.connectedSockets;
  service.sockets.at(-1)!.disconnect();
  await waitUntil(() => machine.served.connectedSockets === count && service.sockets.length > 1, 20_000);
  const next = machine.createStart('true');
  const start = { ...next, deadline: next.deadline + service.clockAheadMs };
  await waitUntil(() => machine.served.countEvents('connected') === 2, 20_000);
  expect(await service.callDevice(start)).toMatchObject({ ok: true });
  const listOutputs = () => listFiles().filter((path) => /\.std(out|err)$/.test(path));
  expect(listOutputs()).toHaveLength(2);
}, 30_000);

it('deletes output after a day also if no other command is started', async () => {
  const { service } = machine.served;
  const startTimer = jest.spyOn(globalThis, 'setInterval');
  await restart();
  const cleanUps = startTimer.mock.calls.filter(([, ms]) => ms === 600_000).map(([cleanUp]) => cleanUp);
  startTimer.mockRestore();
  const requestId = await machine.startScript('echo old');
  await machine.waitForEnd(requestId);
  service.clockAheadMs = DAY_MS + 60_000;
  const connections = machine.served.countEvents('connected');
  await reconnect();
  await waitUntil(() => machine.served.countEvents('connected') > connections, 20_000);
  cleanUps.forEach((cleanUp) => cleanUp());
  await waitUntil(() => !listFiles().some((path) => /\.std(out|err)$/.test(path)), 20_000);
}, 30_000);

it('keeps the end of a command until the service has it, also after weeks', async () => {
  const { service } = machine.served;
  service.invocations.getReportError = ({ state }) =>
    state === 'running' ? undefined : new FakeServiceError(503, 'service_unavailable');
  const requestId = await machine.startScript('exit 3');
  await waitUntil(() => readFileSync(getStatePath(), 'utf8').includes('"completed"'), 20_000);
  service.clockAheadMs = 15 * DAY_MS;
  const connections = machine.served.countEvents('connected');
  await reconnect();
  await waitUntil(() => machine.served.countEvents('connected') > connections, 20_000);
  const next = machine.createStart('true');
  await service.callDevice({ ...next, deadline: next.deadline + service.clockAheadMs });
  await machine.served.runner.stop();
  service.invocations.getReportError = undefined;
  machine.served.runner = await machine.served.machine.startServing();
  expect(await machine.waitForEnd(requestId)).toMatchObject({ state: 'completed', exitCode: 3 });
}, 30_000);

it('sets a damaged state aside, deletes its output, and says so without its content', async () => {
  const requestId = await machine.startScript('true');
  await machine.waitForEnd(requestId);
  await machine.served.runner.stop();
  writeFileSync(getStatePath(), 'a secret', { mode: 0o600 });
  machine.served.runner = await machine.served.machine.startServing();
  expect(readdirSync(getFolder())).toEqual([expect.stringMatching(/^\w{32}\.json\.damaged$/)]);
  const problems = machine.served.events.flatMap((event) => (event.event === 'invocation' ? [event.problem] : []));
  expect(problems).toEqual([expect.stringContaining('damaged')]);
  expect(problems.join()).not.toContain('secret');
  expect(await machine.startScript('true')).toBeDefined();
}, 30_000);

it('refuses a command whose state cannot be saved, and does nothing for it', async () => {
  writeFileSync(getFolder(), 'a file');
  const path = join(folder, `never-${serial}`);
  const answer = await machine.served.service.callDevice(machine.createStart('touch', [path]));
  expect(answer).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(readdirSync(folder)).not.toContain(`never-${serial}`);
  rmSync(getFolder());
}, 30_000);
