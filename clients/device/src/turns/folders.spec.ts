import { compactDecrypt } from 'jose';
import { mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentError } from '../agent/agent-error';
import { CommandError } from '../exec/command-error';
import { MemoryKeyStore } from '../index';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, createStartRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'folders-')));
const allowed = join(folder, 'allowed');
const project = join(allowed, 'project');
const outside = join(folder, 'outside');
for (const path of [allowed, outside]) mkdirSync(path);
beforeEach(() => mkdirSync(project));
afterEach(() => rmSync(project, { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

let served: ServedMachine;
let agents: ScriptedAgents;
let store: MemoryKeyStore;
let endWork: () => void;
beforeEach(async () => {
  const worked = new Promise<void>((resolve) => (endWork = resolve));
  store = new MemoryKeyStore();
  agents = new ScriptedAgents({ work: () => worked });
  const commands = [{ name: 'scripted', command: ['scripted'], environmentNames: [], mode: null }];
  served = await ServedMachine.start({
    cwd: outside,
    store,
    agents: { commands, provider: agents, allowedFolders: [allowed] },
  });
  expect(await served.service.callDevice(createStartRequest({ cwd: project }))).toMatchObject({ ok: true });
});
afterEach(() => served.stop());

const createMessage = (content: string, waitMs = 5_000) => ({
  ...createSessionRequest('session.message', { content, waitMs }),
  sessionId: 'ses_2',
});
const sendMessage = (content: string, waitMs?: number) => served.service.callDevice(createMessage(content, waitMs));
const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);
const getProblems = () => served.events.flatMap((event) => (event.event === 'agent' ? [event.problem] : []));
async function restart() {
  await served.runner.stop();
  served.runner = await served.machine.startServing();
}

/** Returns the texts of the turn that neither the user nor the agent wrote. */
async function readNotices(requestId: string): Promise<string[]> {
  const notices = served.service.messages.filter(
    ({ role, turnLocalId }) => role === 'system' && turnLocalId === requestId,
  );
  const dataKeys = Object.values((await store.loadState('machine'))!.dataKeys!);
  return Promise.all(
    notices.map(async ({ content }) => {
      const { kid } = JSON.parse(Buffer.from(content.split('.')[0]!, 'base64url').toString()) as { kid: string };
      const { k } = dataKeys.find((each) => each.kid === kid)!;
      return Buffer.from((await compactDecrypt(content, Buffer.from(k, 'base64url'))).plaintext).toString();
    }),
  );
}

const deleteFolder = () => rmdirSync(project);
function replaceWithLink() {
  deleteFolder();
  symlinkSync(outside, project);
}
const CHANGES: [string, string, string, () => void][] = [
  ['is gone', 'cwd_not_found', `The directory ${project} does not exist.`, deleteFolder],
  ['leads elsewhere', 'cwd_not_allowed', 'The machine does not allow sessions in this folder.', replaceWithLink],
];

describe.each(CHANGES)('a session whose folder %s', (_, code, message, change) => {
  it.each([
    ['while the machine runs', () => Promise.resolve()],
    ['while the machine restarts', restart],
  ])('refuses messages by name until the folder is back: %s', async (_when, interrupt) => {
    change();
    await interrupt();
    expect(await sendMessage('hello')).toEqual({ ok: false, error: { code, message } });
    expect(getProblems()).toContainEqual(expect.stringContaining(message));
    expect(agents.prompts).toEqual([]);
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project);
    expect(await sendMessage('hello')).toMatchObject({ ok: true, result: { turn: { state: 'completed' } } });
    expect(agents.requests.at(-1)?.cwd).toBe(project);
  });

  it('fails a turn that waited for an earlier one, and says why', async () => {
    // The agent runs already, so the provider does not start it.
    const acquireSession = agents.acquireSession.bind(agents);
    agents.acquireSession = (key, request, signal) =>
      acquireSession(key, { ...request, resolveFolder: () => Promise.resolve(project) }, signal);
    await sendMessage('work', 0);
    const waiting = createMessage('next', 0);
    await served.service.callDevice(waiting);
    await waitUntil(() => agents.prompts.length === 1);
    change();
    endWork();
    await waitUntil(() => getTurn(waiting.requestId)?.state === 'failed');
    expect(getTurn(waiting.requestId)).toMatchObject({ errorCode: 'agent_error' });
    expect(await readNotices(waiting.requestId)).toEqual([`The agent could not begin: ${message}`]);
    expect(getProblems()).toContainEqual(expect.stringContaining(message));
    expect(agents.prompts).toEqual(['work']);
  });

  it('fails a turn that waited for a restart, and says why', async () => {
    await sendMessage('work', 0);
    const waiting = createMessage('next', 0);
    await served.service.callDevice(waiting);
    await waitUntil(() => agents.prompts.length === 1 && getTurn(waiting.requestId)?.state === 'queued');
    await served.runner.stop();
    change();
    served.runner = await served.machine.startServing();
    await waitUntil(() => getTurn(waiting.requestId)?.state === 'failed');
    expect(await readNotices(waiting.requestId)).toEqual([`The agent could not begin: ${message}`]);
    expect(agents.prompts).toEqual(['work']);
  });

  it('fails a turn that waited for a place for its agent', async () => {
    let unblock: () => void = () => undefined;
    agents.blocked = new Promise<void>((resolve) => (unblock = resolve));
    const waiting = createMessage('hello', 0);
    await served.service.callDevice(waiting);
    await waitUntil(() => agents.requests.length === 2);
    change();
    unblock();
    await waitUntil(() => getTurn(waiting.requestId)?.state === 'failed');
    expect(await readNotices(waiting.requestId)).toEqual([`The agent could not begin: ${message}`]);
    expect(agents.prompts).toEqual([]);
  });

  it('is not started while its agent waits for a place', async () => {
    let unblock: () => void = () => undefined;
    agents.blocked = new Promise<void>((resolve) => (unblock = resolve));
    const answer = served.service.callDevice(createStartRequest({ cwd: project }));
    await waitUntil(() => agents.requests.length === 2);
    change();
    unblock();
    expect(await answer).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(message) } });
  });
});

it('works in the folder of the machine, where callers may start no sessions', async () => {
  const request = createSessionRequest('session.message', { content: 'hello', waitMs: 5_000 });
  expect(await served.service.callDevice(request)).toMatchObject({ result: { turn: { state: 'completed' } } });
  expect(agents.requests.at(-1)?.cwd).toBe(outside);
});

it.each([
  ['its program is missing', new CommandError('command_not_found', 'The command "x" was not found.')],
  ['it must be signed in', new AgentError('agent_auth_required', 'Log in first.')],
])('says why an agent could not start: %s', async (_, reason) => {
  agents.startError =
    reason instanceof AgentError ? reason : new AgentError('agent_error', 'No start.', { cause: reason });
  const request = createMessage('hello');
  expect(await served.service.callDevice(request)).toMatchObject({ result: { turn: { state: 'failed' } } });
  await waitUntil(() => getTurn(request.requestId)?.state === 'failed');
  expect(await readNotices(request.requestId)).toEqual([`The agent could not begin: ${reason.message}`]);
  expect(getProblems()).toContainEqual(expect.stringContaining(reason.message));
});
