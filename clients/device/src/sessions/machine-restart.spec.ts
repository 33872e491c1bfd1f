import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AttachmentFolder } from '../attachments/attachment-folder';
import { identifyProcess } from '../exec/process-identity';
import { spawnCommand } from '../exec/spawn-command';
import { MachineDevice, MemoryKeyStore, type MachineOptions } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import {
  createMessageRequest,
  createSessionRequest,
  createStartRequest,
  ServedMachine,
  waitUntil,
} from '../testing/served-machine';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'restart-')));
const cwd = join(folder, 'work');
for (const name of ['work', 'outside', 'other']) mkdirSync(join(folder, name));
afterAll(() => rmSync(folder, { recursive: true }));

const createCommand = (name: string) => ({ name, command: [name], environmentNames: [], mode: null });

let served: ServedMachine;
let agents: ScriptedAgents;
let store: MemoryKeyStore;
beforeEach(async () => {
  store = new MemoryKeyStore();
  agents = new ScriptedAgents();
  const commands = [createCommand('first'), createCommand('second')];
  served = await ServedMachine.start({ cwd, store, agents: { commands, provider: agents } });
});
afterEach(() => served.stop());

const startSession = (params: object = {}) => served.service.callDevice(createStartRequest(params));
const endSession = (sessionId: string) =>
  served.service.callDevice({ ...createSessionRequest('session.end', {}), sessionId });

async function restart(change: Partial<MachineOptions>) {
  await served.runner.stop();
  const machine = await MachineDevice.open({ url: served.service.url, store, account: 'ada', cwd, ...change });
  served.runner = await machine.startServing();
}

describe('the agents that a machine announces', () => {
  const first = { name: 'first', title: 'first' };
  const second = { name: 'second', title: 'second' };
  const waitForAnnouncement = async () => {
    let isStored = false;
    // The device stores after the answer that the service knows its agents.
    for (const deadline = Date.now() + 5_000; !isStored && Date.now() < deadline; await sleep(10))
      isStored = (await store.loadState('machine'))?.areAgentsAnnounced === true;
    expect(isStored).toBe(true);
    expect(served.service.registrations).toHaveLength(2);
  };
  const restartWithFirst = () => restart({ agents: { commands: [createCommand('first')], provider: agents } });

  it('are announced to a service that can start sessions', async () => {
    await waitUntil(() => served.service.registrations.length === 2);
    expect(served.service.registrations[0]).not.toHaveProperty('agents');
    expect(served.service.registrations[1]).toMatchObject({ agents: [first, second] });
    // Nothing that the machine doesn't know.
    expect(JSON.stringify(served.service.registrations)).not.toMatch(/version|modes/);
  });

  it('stay announced while the machine restarts', async () => {
    await waitForAnnouncement();
    await restartWithFirst();
    expect(served.service.registrations[2]).toMatchObject({ agents: [first] });
  });

  it('are left out for a service that does not know them any more', async () => {
    await waitForAnnouncement();
    served.service.acceptedCapabilities = undefined;
    served.service.getRequestError = (route, body) =>
      route === 'POST /v1/machines' && 'agents' in body ? new FakeServiceError(400, 'invalid_request') : undefined;
    await restartWithFirst();
    expect(served.service.registrations).toHaveLength(3);
    expect(served.service.registrations[2]).not.toHaveProperty('agents');
    await restartWithFirst();
    expect(served.service.registrations).toHaveLength(4);
  });
});

it('asks an unavailable service no more once the machine has stopped', async () => {
  let attempts = 0;
  served.service.getRequestError = (route) => {
    if (!/^GET .*\/permission-requests/.test(route)) return undefined;
    attempts++;
    return new FakeServiceError(503, 'service_unavailable');
  };
  const backoff = { baseMs: 5, maxMs: 10 };
  await restart({ backoff, agents: { commands: [createCommand('first')], provider: agents } });
  await waitUntil(() => attempts > 1);
  await served.runner.stop();
  const attemptsUntilStop = attempts;
  await sleep(100);
  // One more may have been on its way.
  expect(attempts).toBeLessThanOrEqual(attemptsUntilStop + 1);
});

it('kills an agent that has outlived a kill of the machine, with all that it has started', async () => {
  await served.runner.stop();
  const leftover = await spawnCommand({ command: 'sleep', args: ['600'], cwd: '/', hasInput: false });
  const exited = new Promise((resolve) => leftover.once('exit', (_, signal) => resolve(signal)));
  const state = (await store.loadState('machine'))!;
  state.agentSessions!.ses_1!.process = (await identifyProcess(leftover.pid!))!;
  await store.saveState(state);
  await restart({ agents: { commands: [createCommand('first')], provider: agents } });
  expect(await exited).toBe('SIGKILL');
});

it('fails a waiting turn whose agent the machine no longer has', async () => {
  await startSession({ agent: 'second' });
  agents.blocked = new Promise(() => undefined);
  const request = { ...createSessionRequest('session.message', { content: 'hello', waitMs: 0 }), sessionId: 'ses_2' };
  expect(await served.service.callDevice(request)).toMatchObject({ ok: true });
  await served.runner.stop();
  agents.blocked = undefined;
  await restart({ agents: { commands: [createCommand('first')], provider: agents } });
  const getTurn = () => served.service.agents.turns.get(request.requestId);
  await waitUntil(() => getTurn()?.state === 'failed');
  expect(getTurn()).toMatchObject({ errorCode: 'agent_lost' });
  expect(agents.prompts).toEqual([]);
});

it('ends a session whose end the service did not take before', async () => {
  await startSession();
  served.service.getRequestError = (route, body) =>
    route === 'PATCH /v1/sessions/ses_2' && 'state' in body
      ? new FakeServiceError(503, 'service_unavailable')
      : undefined;
  expect(await endSession('ses_2')).toMatchObject({ ok: false, error: { code: 'internal' } });
  await served.runner.stop();
  const getState = () => [...served.service.sessions.values()].find(({ id }) => id === 'ses_2')?.state;
  expect(getState()).toBe('active');
  served.service.getRequestError = undefined;
  await restart({ agents: { commands: [createCommand('first')], provider: agents } });
  await waitUntil(() => getState() === 'ended');
  const message = { ...createMessageRequest('hello'), sessionId: 'ses_2' };
  expect(await served.service.callDevice(message)).toMatchObject({ ok: false, error: { code: 'agent_not_found' } });
});

describe('a message to a session without an agent', () => {
  function replaceWithLink() {
    rmdirSync(join(folder, 'projects', 'one'));
    symlinkSync(join(folder, 'outside'), join(folder, 'projects', 'one'));
  }
  const sendMessage = (sessionId: string) => served.service.callDevice({ ...createMessageRequest('hello'), sessionId });
  it('is refused when the machine has another agent since its restart', async () => {
    await startSession({ agent: 'second' });
    await restart({ agents: { commands: [createCommand('first')], provider: agents } });
    expect(await sendMessage('ses_2')).toMatchObject({ ok: false, error: { code: 'agent_not_found' } });
  });

  it('is refused when the machine has no agents since its restart, and only there', async () => {
    await startSession();
    await restart({});
    expect(await sendMessage('ses_2')).toMatchObject({ ok: false, error: { code: 'agent_not_found' } });
    expect(await sendMessage('ses_1')).toMatchObject({ ok: true, result: { reply: 'hello' } });
  });

  it('is refused when the session has ended', async () => {
    await startSession();
    await endSession('ses_2');
    expect(await sendMessage('ses_2')).toMatchObject({ ok: false, error: { code: 'agent_not_found' } });
  });

  it.each([
    ['other folders are allowed', 'cwd_not_allowed', () => undefined, 'other'],
    ['its folder is gone', 'cwd_not_found', () => rmdirSync(join(folder, 'projects', 'one')), 'projects'],
    ['its folder has become a link to another one', 'cwd_not_allowed', replaceWithLink, 'projects'],
  ])('is refused when %s since the restart of the machine', async (_, code, change, allowedName) => {
    const project = join(folder, 'projects', 'one');
    mkdirSync(project, { recursive: true });
    const commands = [createCommand('first')];
    await restart({ agents: { commands, provider: agents, allowedFolders: [join(folder, 'projects')] } });
    expect(await startSession({ cwd: project })).toMatchObject({ ok: true });
    change();
    await restart({ agents: { commands, provider: agents, allowedFolders: [join(folder, allowedName)] } });
    expect(await sendMessage('ses_2')).toMatchObject({ ok: false, error: { code } });
    expect(agents.prompts).toEqual([]);
    rmSync(join(folder, 'projects'), { recursive: true });
  });

  it('can be ended', async () => {
    await startSession({ agent: 'second' });
    await restart({ agents: { commands: [createCommand('first')], provider: agents } });
    expect(await endSession('ses_2')).toMatchObject({ ok: true });
    expect((await store.loadState('machine'))?.agentSessions).not.toHaveProperty('ses_2');
  });

  it('can be ended, which deletes the files of its messages', async () => {
    const files = join(folder, 'files');
    store.openAttachmentFolder = () => new AttachmentFolder(files);
    agents.promptCapabilities = { image: false, embeddedContext: false };
    await restart({ agents: { commands: [createCommand('second')], provider: agents } });
    const attachments = [{ name: 'notes.txt', mediaType: null, data: 'YQ==' }];
    expect(await startSession({ content: 'Look.', attachments })).toMatchObject({ ok: true });
    expect(readdirSync(files)).toHaveLength(1);
    await restart({ agents: { commands: [createCommand('first')], provider: agents } });
    expect(await endSession('ses_2')).toMatchObject({ ok: true });
    expect(readdirSync(files)).toEqual([]);
  });
});
