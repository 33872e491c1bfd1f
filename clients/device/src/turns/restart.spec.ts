import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { AgentError } from '../agent/agent-error';
import { FileKeyStore } from '../file-key-store';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const folder = mkdtempSync(join(tmpdir(), 'turns-'));
// A write that was begun before the stop may still end.
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

let served: ServedMachine;
let agents: ScriptedAgents;
let keyFile: string;
let serial = 0;
const getJournalFolder = () => `${keyFile}.turns`;

beforeEach(async () => {
  keyFile = join(folder, `machine-${++serial}.json`);
  agents = new ScriptedAgents({ work: () => new Promise(() => undefined) });
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  const store = new FileKeyStore(keyFile);
  served = await ServedMachine.start({ store, agents: { commands: [command], provider: agents } });
});
afterEach(() => served.stop());

const createRequest = (content: string) => createSessionRequest('session.message', { content, waitMs: 0 });
const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);

/** Starts a turn that runs, and one that waits for it. */
async function beginTurns() {
  const running = createRequest('work');
  const queued = createRequest('a secret');
  for (const request of [running, queued]) await served.service.callDevice(request);
  await waitUntil(() => getTurn(running.requestId)?.state === 'running');
  await waitUntil(() => getTurn(queued.requestId)?.state === 'queued');
  return { running, queued };
}

/** Continues with the files as they are now, as if the process had been killed. */
async function killAndRestart() {
  const copy = `${getJournalFolder()}.copy`;
  cpSync(getJournalFolder(), copy, { recursive: true });
  served.service.agents.getReportError = () => new FakeServiceError(503, 'service_unavailable');
  await served.runner.stop();
  rmSync(getJournalFolder(), { recursive: true });
  cpSync(copy, getJournalFolder(), { recursive: true });
  served.service.agents.getReportError = undefined;
  served.runner = await served.machine.startServing();
}

it('reports a turn that the agent began by itself as lost after a restart', async () => {
  const request = createRequest('say');
  await served.service.callDevice(request);
  await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
  const ended = new Promise<void>((_, reject) => {
    agents.stopAll = () => Promise.resolve(reject(new AgentError('agent_lost', 'The agent ended.')));
  });
  agents.receiver?.({ isLast: false, ended, cancel: () => Promise.resolve() });
  const findOwnTurn = () => [...served.service.agents.turns.values()].find(({ origin }) => origin === 'agent');
  await waitUntil(() => findOwnTurn()?.state === 'running');
  await killAndRestart();
  await waitUntil(() => findOwnTurn()?.state === 'failed');
  expect(findOwnTurn()?.errorCode).toBe('agent_lost');
});

it('keeps open turns in files that only their owner can read, and no text in them', async () => {
  await beginTurns();
  const files = readdirSync(getJournalFolder()).map((name) => join(getJournalFolder(), name));
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
  }
  expect(statSync(getJournalFolder()).mode & 0o777).toBe(0o700);
}, 20_000);

it('runs a turn that was not prompted, and fails one that was, after the process was killed', async () => {
  const { running, queued } = await beginTurns();
  await killAndRestart();
  await waitUntil(() => getTurn(queued.requestId)?.state === 'completed');
  await waitUntil(() => getTurn(running.requestId)?.state === 'failed');
  expect(getTurn(running.requestId)).toMatchObject({ errorCode: 'agent_lost', stopReason: null });
  expect(agents.prompts).toEqual(['work', 'a secret']);
  const localIds = served.service.messages.map(({ localId }) => localId);
  expect(localIds).toEqual([`${running.requestId}:user`, `${queued.requestId}:user`, `${queued.requestId}:1`]);
}, 20_000);

it('writes the messages of a turn that the service could not store before, as messages of the turn', async () => {
  served.service.getHistoryError = () => new FakeServiceError(503, 'service_unavailable');
  const request = createRequest('hello');
  const { requestId } = request;
  await served.service.callDevice(request);
  await waitUntil(() => getTurn(requestId)?.state === 'running');
  await served.runner.stop();
  served.service.getHistoryError = undefined;
  served.runner = await served.machine.startServing();
  await waitUntil(() => getTurn(requestId)?.state === 'completed');
  expect(served.service.messages).toMatchObject([
    { role: 'user', turnLocalId: requestId },
    { role: 'assistant', turnLocalId: requestId },
  ]);
}, 20_000);

it('does not begin a second turn for the same request after a restart', async () => {
  const { running, queued } = await beginTurns();
  await killAndRestart();
  await waitUntil(() => getTurn(queued.requestId)?.state === 'completed');
  expect(await served.service.callDevice(running)).toMatchObject({ ok: true, result: { turn: { state: 'failed' } } });
  expect(await served.service.callDevice(queued)).toMatchObject({ ok: true, result: { turn: { state: 'completed' } } });
  expect(agents.prompts).toEqual(['work', 'a secret']);
}, 20_000);

it('fails the running turn at a clean stop, and runs the queued one at the next start', async () => {
  const { running, queued } = await beginTurns();
  await served.runner.stop();
  expect(getTurn(running.requestId)).toMatchObject({ state: 'failed', errorCode: 'agent_lost' });
  expect(getTurn(queued.requestId)?.state).toBe('queued');
  served.runner = await served.machine.startServing();
  await waitUntil(() => getTurn(queued.requestId)?.state === 'completed');
  expect(agents.prompts).toEqual(['work', 'a secret']);
}, 20_000);

it('reports the end of a turn after a restart', async () => {
  served.service.agents.getReportError = (_path, report) =>
    (report as { state: string }).state === 'completed' ? new FakeServiceError(503, 'service_unavailable') : undefined;
  const request = createRequest('hello');
  await served.service.callDevice(request);
  await waitUntil(() => agents.prompts.length === 1 && getTurn(request.requestId)?.state === 'running');
  await served.runner.stop();
  served.service.agents.getReportError = undefined;
  served.runner = await served.machine.startServing();
  await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
  expect(agents.prompts).toEqual(['hello']);
}, 20_000);

it('reports the end of a turn also after weeks without the service', async () => {
  const { service } = served;
  service.agents.getReportError = (_path, report) =>
    (report as { state: string }).state === 'completed' ? new FakeServiceError(503, 'service_unavailable') : undefined;
  const request = createRequest('hello');
  await service.callDevice(request);
  await waitUntil(() => service.messages.length === 2 && getTurn(request.requestId)?.state === 'running');
  service.clockAheadMs = 15 * 86_400_000;
  const connections = served.countEvents('connected');
  service.sockets.at(-1)!.disconnect();
  await waitUntil(() => served.countEvents('connected') > connections);
  const next = createRequest('next');
  await service.callDevice({ ...next, deadline: next.deadline + service.clockAheadMs });
  await served.runner.stop();
  service.agents.getReportError = undefined;
  served.runner = await served.machine.startServing();
  await waitUntil(() => getTurn(request.requestId)?.endedAt !== null);
  expect(getTurn(request.requestId)?.state).toBe('completed');
}, 20_000);

it('reports open turns that it no longer knows', async () => {
  const { running } = await beginTurns();
  const { deviceId, ...known } = getTurn(running.requestId)!;
  served.service.agents.turns.set('req_foreign', { ...known, localId: 'req_foreign', deviceId: 'dev_other' });
  served.service.agents.getReportError = () => new FakeServiceError(503, 'service_unavailable');
  await served.runner.stop();
  rmSync(getJournalFolder(), { recursive: true });
  served.service.agents.getReportError = undefined;
  served.runner = await served.machine.startServing();
  await waitUntil(() => getTurn(running.requestId)?.state === 'failed');
  expect(getTurn(running.requestId)).toMatchObject({ errorCode: 'agent_lost', deviceId });
  expect(getTurn('req_foreign')?.state).toBe('running');
}, 20_000);

describe('damaged files', () => {
  /** Replaces the journal's entry of a turn while the device does not run. */
  async function replaceEntry({ requestId }: { requestId: string }, createText: (entry: object) => string) {
    served.service.agents.getReportError = () => new FakeServiceError(503, 'service_unavailable');
    await served.runner.stop();
    const paths = readdirSync(getJournalFolder()).map((name) => join(getJournalFolder(), name));
    const path = paths.find((each) => readFileSync(each, 'utf8').includes(`"${requestId}"`))!;
    writeFileSync(path, createText(JSON.parse(readFileSync(path, 'utf8')) as object));
    served.service.agents.getReportError = undefined;
    return path;
  }
  const getProblems = () => served.events.flatMap((event) => (event.event === 'agent' ? [event.problem] : []));

  it.each([
    ['is not JSON', () => '{"requestId":"re'],
    ['lacks a member, but names its turn', (entry: object) => JSON.stringify({ ...entry, report: null })],
    ['has a message of another key', (entry: object) => JSON.stringify({ ...entry, prompt: 'a.b.c.d.e' })],
  ])(
    'of the journal do not stop the device, and fail their turn: an entry that %s',
    async (_, createText) => {
      const { queued } = await beginTurns();
      await replaceEntry(queued, createText);
      served.runner = await served.machine.startServing();
      await waitUntil(() => getTurn(queued.requestId)?.state === 'failed');
      expect(getTurn(queued.requestId)).toMatchObject({ errorCode: 'agent_lost' });
      expect(agents.prompts).toEqual(['work']);
      expect(await served.service.callDevice(createRequest('after'))).toMatchObject({ ok: true });
    },
    20_000,
  );

  it('of the journal are named in the log without their content, and set aside', async () => {
    const { queued } = await beginTurns();
    const path = await replaceEntry(queued, () => 'a secret');
    writeFileSync(`${path}.123.tmp`, 'x');
    served.runner = await served.machine.startServing();
    expect(getProblems().filter((problem) => problem.includes(path))).toHaveLength(1);
    expect(getProblems().join()).not.toContain('secret');
    expect(readdirSync(getJournalFolder()).filter((name) => !name.endsWith('.json'))).toEqual([
      `${basename(path)}.damaged`,
    ]);
  }, 20_000);

  it('of the outbox do not stop the device', async () => {
    served.service.getHistoryError = () => new FakeServiceError(503, 'service_unavailable');
    await served.service.callDevice(createSessionRequest('session.message', { content: 'hello' }));
    await served.runner.stop();
    const outbox = `${keyFile}.outbox`;
    const [name = ''] = readdirSync(outbox).sort();
    writeFileSync(join(outbox, name), '{}');
    writeFileSync(join(outbox, `${name}.123.tmp`), 'x');
    served.service.getHistoryError = undefined;
    served.runner = await served.machine.startServing();
    await waitUntil(() => served.service.messages.length === 1);
    expect(served.service.messages).toMatchObject([{ role: 'assistant' }]);
    await waitUntil(() => readdirSync(outbox).join() === `${name}.damaged`);
    expect(served.events).toContainEqual(
      expect.objectContaining({ event: 'history', problem: expect.stringContaining('damaged') }),
    );
  }, 20_000);
});

it('refuses a message that the journal cannot take, and does nothing for it', async () => {
  const request = createRequest('hello');
  rmSync(getJournalFolder(), { recursive: true, force: true });
  cpSync(keyFile, getJournalFolder());
  expect(await served.service.callDevice(request)).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(agents.prompts).toEqual([]);
  expect(served.service.messages).toEqual([]);
  rmSync(getJournalFolder());
});
