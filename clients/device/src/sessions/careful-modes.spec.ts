import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildMessageBinding, openContent } from '@external-api/protocol';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { MemoryKeyStore } from '../index';
import {
  createMessageRequest,
  createSessionRequest,
  createStartRequest,
  ServedMachine,
  waitUntil,
} from '../testing/served-machine';
import type { AgentOptions } from './agent-runtime';

const folder = mkdtempSync(join(tmpdir(), 'careful-modes-'));
let store: MemoryKeyStore;
let served: ServedMachine;

beforeAll(() => buildTestAgent(), 120_000);
afterEach(() => served.stop());
afterAll(() => rmSync(folder, { recursive: true }));

async function startMachine(behavior: string, options: Partial<AgentOptions> = {}): Promise<void> {
  process.env.TEST_AGENT_OPTIONS = behavior;
  store = new MemoryKeyStore();
  const agents = { commands: [createTestAgentCommand()], provider: new AgentProcessPool(), ...options };
  served = await ServedMachine.start({ store, cwd: folder, agents });
  await waitUntil(() => served.service.registrations.length === 2);
}

const startSession = (params: object = {}) => served.service.callDevice(createStartRequest(params));
const send = (content: string, sessionId: string, caller = 'pat') =>
  served.service.callDevice({ ...createMessageRequest(content), sessionId, caller });
const getSession = (id: string) => [...served.service.sessions.values()].find((session) => session.id === id)!;

/** Returns the texts of the messages of this role. The first data key is the machine's session's. */
async function readMessages(role: string): Promise<string[]> {
  const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
  const { sessionTag } = served.runner.identity;
  const messages = served.service.messages.filter((message) => message.role === role);
  const opened = messages.map(({ localId, content }) =>
    openContent(content, dataKey!, buildMessageBinding('acc_1', sessionTag, localId, role)),
  );
  return (await Promise.all(opened)).map(({ bytes }) => Buffer.from(bytes).toString());
}

describe('an agent whose default mode decides by itself', () => {
  it.each(['ask', 'reject'] as const)('asks in its sessions with the policy %s', async (permissions) => {
    await startMachine('deciding', { permissions });
    const request = createMessageRequest('edit unasked.txt text\nmode');
    await served.service.callDevice(request);
    await waitUntil(() => served.service.agents.turns.has(request.requestId));
    if (permissions === 'ask')
      await waitUntil(() => served.service.agents.permissionRequests.has(`${request.requestId}:p1`));
    else await waitUntil(() => served.service.agents.turns.get(request.requestId)?.state === 'completed');
    expect(existsSync(join(folder, 'unasked.txt'))).toBe(false);
  });

  it('keeps it with the policy allow, until an app sends a message', async () => {
    await startMachine('deciding', { permissions: 'allow' });
    expect(await send('mode', 'ses_1')).toMatchObject({ result: { reply: 'auto, the default' } });
    expect(await send('mode', 'ses_1', 'app')).toMatchObject({ result: { reply: 'ask, set by the client' } });
    expect(await send('mode', 'ses_1')).toMatchObject({ result: { reply: 'ask, set by the client' } });
  });

  it('may get it from a caller, whom an app does not follow', async () => {
    await startMachine('');
    expect(await startSession({ mode: 'auto' })).toMatchObject({ ok: true });
    expect(await send('mode', 'ses_2')).toMatchObject({ result: { reply: 'auto, set by the client' } });
    expect(await send('mode', 'ses_2', 'app')).toMatchObject({ result: { reply: 'ask, set by the client' } });
  });

  it('does not get it from a caller if the owner has locked the mode', async () => {
    await startMachine('', { locksMode: true });
    expect(await startSession({ mode: 'auto' })).toEqual({
      ok: false,
      error: {
        code: 'agent_mode_unsafe',
        message:
          'The agent could not be started: The owner of the machine allows no mode such as "auto". ' +
          'Its modes: ask, auto.',
      },
    });
    expect(getSession('ses_2').state).toBe('ended');
    expect(await startSession({ mode: 'ask' })).toMatchObject({ ok: true });
  });
});

describe('an agent without a known mode that asks', () => {
  it('is not started, and the error names its modes and the option', async () => {
    await startMachine('unknown-modes');
    expect(await startSession()).toEqual({
      ok: false,
      error: {
        code: 'agent_mode_unsafe',
        message:
          'The agent could not be started: The agent "test" offers no mode that is known to ask before it acts. ' +
          'The owner of the machine can choose one with --agent-mode test=MODE. Its modes: careful, quick.',
      },
    });
  });

  it('fails a message, and the history says why', async () => {
    await startMachine('unknown-modes');
    expect(await send('say Hello.', 'ses_1')).toMatchObject({ result: { reply: null, turn: { state: 'failed' } } });
    await waitUntil(() => served.service.messages.length === 2);
    expect(await readMessages('system')).toEqual([expect.stringContaining('--agent-mode test=MODE')]);
  });

  it('works in the mode that its owner has chosen', async () => {
    await startMachine('unknown-modes', { commands: [createTestAgentCommand({ mode: 'quick' })] });
    expect(await startSession()).toMatchObject({ ok: true });
  });
});

it('tells the readers of the history that an agent has left its mode', async () => {
  await startMachine('');
  expect(await send('change-mode auto\nwait 300\nmode', 'ses_1')).toMatchObject({
    result: { reply: 'ask, set by the client' },
  });
  await waitUntil(() => served.service.messages.length === 3);
  expect(await readMessages('system')).toEqual([
    expect.stringContaining('from "ask" to "auto", so that it would decide by itself. The device has set it back.'),
  ]);
});

describe('what the service shows of an agent', () => {
  it('has its title, version and modes since its first answer, also after a restart', async () => {
    await startMachine('');
    const known = { name: 'test', title: 'Test agent', version: '1.0.0', modes: ['ask', 'auto'] };
    expect(served.service.registrations.at(-1)).toMatchObject({ agents: [{ name: 'test', title: 'test' }] });
    await startSession();
    await waitUntil(() => served.service.registrations.length === 3);
    expect(served.service.registrations[2]).toMatchObject({ agents: [known] });
    await startSession();
    expect(served.service.registrations).toHaveLength(3);
    await served.runner.stop();
    served.runner = await served.machine.startServing();
    expect(served.service.registrations[3]).toMatchObject({ agents: [known] });
  });

  it.each([
    ['while the machine runs', () => Promise.resolve()],
    [
      'while the machine is stopped',
      async () => {
        await served.runner.stop();
        served.runner = await served.machine.startServing();
      },
    ],
  ])('has the version, modes and options of an agent that was upgraded %s', async (_, restart) => {
    await startMachine('no-modes');
    const readAgent = () =>
      (served.service.registrations.at(-1) as unknown as { agents: { version?: string }[] }).agents[0]!;
    await startSession();
    await waitUntil(() => readAgent().version === '1.0.0');
    expect(readAgent()).toMatchObject({ modes: [], options: [] });
    process.env.TEST_AGENT_OPTIONS = 'upgraded,options';
    await restart();
    expect(readAgent()).toMatchObject({ version: '1.0.0' });
    await startSession();
    await waitUntil(() => readAgent().version === '2.0.0');
    expect(readAgent()).toMatchObject({
      modes: ['ask', 'auto'],
      options: expect.arrayContaining([{ id: 'model', category: 'model' }]),
    });
  });

  it('follows the mode of a session in a turn', async () => {
    await startMachine('config-options');
    await startSession({ mode: 'auto' });
    const request = { ...createSessionRequest('session.message', { content: 'change-mode ask\nsilent', waitMs: 0 }) };
    await served.service.callDevice({ ...request, sessionId: 'ses_2' });
    await waitUntil(() => 'agent' in getSession('ses_2'));
    await waitUntil(() => JSON.stringify(getSession('ses_2')).includes('"mode":"ask"'));
    expect(getSession('ses_2')).toMatchObject({ agent: { name: 'test', title: 'Test agent', mode: 'ask' } });
  });
});
