import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionOptionsResult } from '@external-api/protocol';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import {
  createMessageRequest,
  createSessionRequest,
  createStartRequest,
  ServedMachine,
  waitUntil,
} from '../testing/served-machine';
import type { AgentOptions } from './agent-runtime';

const folder = mkdtempSync(join(tmpdir(), 'session-options-'));
let served: ServedMachine;

beforeAll(() => buildTestAgent(), 120_000);
afterEach(() => served.stop());
afterAll(() => rmSync(folder, { recursive: true }));

async function startMachine(behavior: string, options: Partial<AgentOptions> = {}): Promise<void> {
  process.env.TEST_AGENT_OPTIONS = behavior;
  process.env.TEST_AGENT_FOLDER = folder;
  const agents = { commands: [createTestAgentCommand()], provider: new AgentProcessPool(), ...options };
  served = await ServedMachine.start({ cwd: folder, agents });
  await waitUntil(() => served.service.registrations.length === 2);
}

const startSession = (params: object = {}) => served.service.callDevice(createStartRequest(params));
const call = (method: string, params: object) =>
  served.service.callDevice({ ...createSessionRequest(method, params), sessionId: 'ses_2' });
const readOptions = () => call('session.options', {});
const changeOptions = (options: object, mayDecide = false) => call('session.configure', { options, mayDecide });
const send = (content: string, caller = 'pat', waitMs = 5_000) =>
  served.service.callDevice({
    ...createMessageRequest(content),
    sessionId: 'ses_2',
    caller,
    params: { content, waitMs },
  });
const readReply = async (content: string, caller?: string) =>
  ((await send(content, caller)) as unknown as { result: { reply: string } }).result.reply;
const refused = (code: string) => ({ ok: false, error: { code } });

function toValues(answer: object): Record<string, unknown> {
  const { options } = (answer as { result: SessionOptionsResult }).result;
  return Object.fromEntries(options.map(({ id, value }) => [id, value]));
}

describe('a session that is started with options', () => {
  it('has them from its first turn on, also when its agent was restarted', async () => {
    await startMachine('options');
    expect(await startSession({ options: { model: 'large', effort: 'max' } })).toMatchObject({ ok: true });
    expect(await readReply('options')).toBe('large, max');
    await send('crash');
    expect(await readReply('options')).toBe('large, max');
  });

  it.each([
    [{ colour: 'red' }, 'option_not_found'],
    [{ model: 'huge' }, 'option_value_not_found'],
  ])('is not started with %j', async (options, code) => {
    await startMachine('options');
    expect(await startSession({ options })).toMatchObject(refused(code));
    expect([...served.service.sessions.values()].at(-1)).toMatchObject({ state: 'ended' });
  });

  it('fails its first message if the agent does not have them', async () => {
    await startMachine('options,refuse-options');
    const answer = await startSession({ options: { model: 'large' }, content: 'options' });
    expect(answer).toMatchObject({ result: { turn: { state: 'failed' } } });
  });

  it('gets no mode in which the agent decides if the owner has locked the mode', async () => {
    await startMachine('options', { locksMode: true });
    expect(await startSession({ options: { mode: 'auto' } })).toMatchObject(refused('agent_mode_unsafe'));
    expect(await startSession({ options: { search: 'always' } })).toMatchObject(refused('agent_mode_unsafe'));
  });
});

describe('the options of a session', () => {
  it('are unknown until the agent has run', async () => {
    await startMachine('options');
    const read = served.service.callDevice(createSessionRequest('session.options', {}));
    expect(await read).toMatchObject(refused('options_unknown'));
    expect(await readOptions()).toMatchObject(refused('agent_not_found'));
  });

  it('are changed at once while the agent has nothing to do, and show what depends on the model', async () => {
    await startMachine('options');
    await startSession();
    const changed = await changeOptions({ model: 'large', effort: 'max' });
    expect(toValues(changed)).toMatchObject({ model: 'large', effort: 'max' });
    expect(await readOptions()).toEqual(changed);
    expect(await readReply('options')).toBe('large, max');
  });

  it('are changed from the next turn on while a turn runs', async () => {
    await startMachine('options');
    await startSession();
    const running = send('wait-for go\noptions');
    await waitUntil(() => [...served.service.agents.turns.values()].some(({ state }) => state === 'running'));
    expect(toValues(await changeOptions({ model: 'large' }))).toMatchObject({ model: 'large' });
    writeFileSync(join(folder, 'go'), '');
    expect(await running).toMatchObject({ result: { reply: 'small, low' } });
    expect(await readReply('options')).toBe('large, low');
  });

  it('stay what the agent made of them by itself', async () => {
    await startMachine('options');
    await startSession({ options: { model: 'large' } });
    await send('change-model small');
    expect(await readReply('options')).toBe('small, low');
    expect(toValues(await readOptions())).toMatchObject({ model: 'small' });
  });

  it.each([
    ['an unknown option', { colour: 'red' }, 'option_not_found'],
    ['an unknown value', { model: 'huge' }, 'option_value_not_found'],
    ['an unknown mode', { mode: 'careful' }, 'mode_not_found'],
    ['one valid and one invalid value', { model: 'large', effort: 'high' }, 'option_value_not_found'],
  ])('are not changed by %s', async (_, options, code) => {
    await startMachine('options');
    await startSession();
    expect(await changeOptions(options)).toMatchObject(refused(code));
    expect(await readReply('options')).toBe('small, low');
  });

  it('are not changed by an agent that refuses', async () => {
    await startMachine('options,refuse-options');
    await startSession();
    expect(await changeOptions({ model: 'large' })).toMatchObject({
      error: { code: 'option_refused', message: 'The agent refused the value "large" of "model": No access to large' },
    });
    expect(await readReply('options')).toBe('small, low');
  });

  it('have the last values of two writers', async () => {
    await startMachine('options');
    await startSession();
    const answers = await Promise.all(['large', 'small', 'large'].map((model) => changeOptions({ model })));
    expect(answers.map((answer) => toValues(answer).model)).toEqual(['large', 'small', 'large']);
    const [reply] = await Promise.all([readReply('options'), changeOptions({ effort: 'max' })]);
    expect(reply).toMatch(/^large, (low|max)$/);
    expect(await readReply('options')).toBe('large, max');
  });
});

describe('a mode in which the agent decides by itself', () => {
  it.each([
    ['mode', 'options', { mode: 'auto' }],
    ['option of the mode', 'options,config-options', { approval: 'auto' }],
    ['option that nobody knows', 'options', { search: 'always' }],
  ])('is chosen as a %s only by those who may run commands', async (_, behavior, options) => {
    await startMachine(behavior);
    await startSession();
    expect(await changeOptions(options)).toMatchObject(refused('scope_required'));
    expect(await readReply('mode')).toBe('ask, set by the client');
    expect(toValues(await changeOptions(options, true))).toMatchObject(options);
  });

  it('is never an option that switches questions off', async () => {
    await startMachine('options');
    await startSession();
    expect(await changeOptions({ allow_all: 'on' }, true)).toMatchObject(refused('agent_mode_unsafe'));
  });

  it('is refused where the owner has locked the mode, and where an app has sent a message', async () => {
    await startMachine('options', { locksMode: true });
    await startSession();
    expect(await changeOptions({ mode: 'auto' }, true)).toMatchObject(refused('agent_mode_unsafe'));
    await served.stop();
    await startMachine('options');
    await startSession();
    await send('mode', 'app');
    expect(await changeOptions({ mode: 'auto' }, true)).toMatchObject(refused('agent_mode_unsafe'));
    expect(await readReply('mode')).toBe('ask, set by the client');
  });

  it('ends when an app sends a message', async () => {
    await startMachine('options');
    await startSession();
    await changeOptions({ mode: 'auto', search: 'always' }, true);
    expect(await readReply('mode')).toBe('auto, set by the client');
    expect(await readReply('mode', 'app')).toBe('ask, set by the client');
    expect(toValues(await readOptions())).toMatchObject({ search: 'ask' });
  });
});

it('are announced by id and category only, to a service that knows them', async () => {
  await startMachine('options');
  await startSession();
  await waitUntil(() => served.service.registrations.length === 3);
  const { agents } = served.service.registrations[2] as unknown as { agents: { options: object[] }[] };
  expect(agents[0]?.options).toEqual([
    { id: 'allow_all', category: 'permissions' },
    { id: 'model', category: 'model' },
    { id: 'effort', category: 'thought_level' },
    { id: 'search', category: null },
    { id: 'mode', category: 'mode' },
  ]);
});
