import { buildMessageBinding, openContent } from '@external-api/protocol';
import { AgentProcessPool, DEFAULT_MAX_AGENTS } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { HistoryWriter } from '../history/history-writer';
import { MemoryKeyStore } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import {
  createMessageRequest,
  createSessionRequest,
  createStartRequest,
  ServedMachine,
  waitUntil,
} from '../testing/served-machine';
import { createListRequest, readList, TerminalSessions } from '../testing/terminal-sessions';

let terminal: TerminalSessions;
let served: ServedMachine;
let store: MemoryKeyStore;
let provider: AgentProcessPool;

beforeAll(() => buildTestAgent(), 120_000);
afterEach(async () => {
  await served.stop();
  terminal.remove();
});

async function serve(agentOptions = 'orderly-replay'): Promise<void> {
  terminal = new TerminalSessions(agentOptions);
  store = new MemoryKeyStore();
  provider = new AgentProcessPool();
  const agents = { commands: [createTestAgentCommand()], provider };
  served = await ServedMachine.start({ cwd: terminal.folder, store, agents });
}

const callDevice = (request: object) => served.service.callDevice(request);
const startSession = (params: object) => callDevice(createStartRequest({ tag: 'continued', ...params }));
const sendMessage = async (content: string, sessionId = 'ses_2') => {
  const answer = await callDevice({ ...createMessageRequest(content), sessionId });
  return answer.ok ? answer.result.reply : answer.error.code;
};

const getImported = () => served.service.messages.filter(({ localId }) => localId.startsWith('imported:'));

/** Returns the imported messages of the session. */
async function readImported(count: number) {
  await waitUntil(() => getImported().length >= count);
  const dataKey = (await store.loadState('machine'))!.dataKeys!.continued!;
  const opened = getImported().map(async ({ localId, role, content, turnLocalId, imported: isImported }) => {
    const { bytes } = await openContent(content, dataKey, buildMessageBinding('acc_1', 'continued', localId, role));
    return { role, text: Buffer.from(bytes).toString(), turnLocalId, isImported };
  });
  return Promise.all(opened);
}

describe('a session that continues one of the terminal', () => {
  it('has its conversation as history, in order, without turns, and the agent remembers it', async () => {
    await serve();
    terminal.addSession('session-a', ['first words', 'second words']);
    expect(await startSession({ resume: 'session-a' })).toEqual({
      ok: true,
      result: { sessionId: 'ses_2', turn: null, agentState: 'ready' },
    });
    expect(await sendMessage('memory')).toBe('first words | second words');
    const messages = await readImported(6);
    expect(messages.map(({ role, text }) => (role === 'tool' ? role : `${role}: ${text}`))).toEqual([
      'user: first words',
      'assistant: repeated first words',
      'tool',
      'user: second words',
      'assistant: repeated second words',
      'tool',
    ]);
    for (const message of messages) expect(message).toMatchObject({ turnLocalId: undefined, isImported: true });
    expect(served.service.agents.turns.size).toBe(1);
    expect(served.service.messages.slice(-2).every(({ imported }) => imported === undefined)).toBe(true);
  }, 60_000);

  it('has the last 200 of 5,000 messages', async () => {
    await serve();
    terminal.addSession(
      'session-a',
      Array.from({ length: 1_667 }, (_, n) => `words ${n}`),
    );
    expect(await startSession({ resume: 'session-a', content: 'say now' })).toMatchObject({
      ok: true,
      result: { turn: { state: 'completed' } },
    });
    const texts = (await readImported(200)).map(({ role, text }) => (role === 'tool' ? role : text));
    expect(texts).toHaveLength(200);
    expect(texts.slice(-3)).toEqual(['words 1666', 'repeated words 1666', 'tool']);
    const roles = served.service.messages.map(({ role, imported }) => (imported ? 'imported' : role));
    expect(roles.slice(-3)).toEqual(['imported', 'user', 'assistant']);
  }, 60_000);

  it('begins in the folder of the agent’s session, with its title', async () => {
    await serve();
    const app = terminal.createFolder('home/app');
    terminal.addSession('session-a', ['say hello'], app);
    expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
    const { agentSessions } = (await store.loadState('machine'))!;
    expect(agentSessions!.ses_2).toMatchObject({ cwd: app, agentSessionId: 'session-a' });
    expect(agentSessions!.ses_2).not.toHaveProperty('isUntitled', true);
  }, 30_000);

  it('is loaded for its conversation by an agent that can resume it as well, and resumed after a restart', async () => {
    await serve('resume,orderly-replay');
    terminal.addSession('session-a', ['say hello']);
    expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
    expect(await readImported(3)).toHaveLength(3);
    await provider.stopSession('ses_2');
    expect(await sendMessage('memory')).toBe('say hello');
    expect(await readImported(3)).toHaveLength(3);
  }, 60_000);

  it('is resumed without a repetition by an agent that can not load it', async () => {
    await serve('resume,no-load');
    terminal.addSession('session-a', ['say hello']);
    expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
    expect(await readImported(0)).toEqual([]);
    expect(await sendMessage('memory')).toBe('say hello');
  }, 60_000);

  it('is loaded after a restart if the agent only says that it can resume', async () => {
    await serve('false-resume,orderly-replay');
    terminal.addSession('session-a', ['say hello']);
    expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
    await provider.stopSession('ses_2');
    expect(await sendMessage('memory')).toBe('say hello');
  }, 60_000);

  it('is the only one: a second start names it, and starts after its end', async () => {
    await serve();
    terminal.addSession('session-a', ['say hello']);
    expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
    const again = { resume: 'session-a', tag: 'again' };
    expect(await startSession(again)).toEqual({
      ok: false,
      error: { code: 'session_exists', message: expect.any(String), sessionId: 'ses_2' },
    });
    const end = { ...createSessionRequest('session.end', {}), sessionId: 'ses_2' };
    expect(await callDevice(end)).toMatchObject({ ok: true });
    expect(await startSession(again)).toMatchObject({ ok: true, result: { sessionId: 'ses_3' } });
  }, 60_000);

  it('is the only one of two calls that arrive at once', async () => {
    await serve();
    terminal.addSession('session-a', ['say hello']);
    const answers = await Promise.all(['one', 'two', 'three'].map((tag) => startSession({ resume: 'session-a', tag })));
    const [started, ...refused] = [...answers].sort((a, b) => Number(b.ok) - Number(a.ok));
    expect(started).toMatchObject({ ok: true, result: { sessionId: 'ses_2' } });
    for (const answer of refused)
      expect(answer).toMatchObject({ ok: false, error: { code: 'session_exists', sessionId: 'ses_2' } });
    expect(served.service.sessions.size).toBe(2);
  }, 60_000);

  it('is tried again by the second call if the first one fails', async () => {
    await serve();
    terminal.addSession('session-a', ['say hello']);
    const failing = startSession({ resume: 'session-a', mode: 'no-such-mode', tag: 'failing' });
    const second = startSession({ resume: 'session-a', tag: 'second' });
    expect(await failing).toMatchObject({ ok: false, error: { code: 'mode_not_found' } });
    expect(await second).toMatchObject({ ok: true });
  }, 60_000);
});

describe('a copy of a session of the terminal', () => {
  it('remembers it and leaves it as it is, also while another session continues it', async () => {
    await serve();
    terminal.addSession('session-a', ['first words']);
    expect(await startSession({ resume: 'session-a', tag: 'original' })).toMatchObject({ ok: true });
    expect(await startSession({ resume: 'session-a', fork: true, tag: 'copy' })).toMatchObject({ ok: true });
    expect(await startSession({ resume: 'session-a', fork: true, tag: 'copy-2' })).toMatchObject({ ok: true });
    expect(await sendMessage('say only the copy', 'ses_3')).toBe('only the copy');
    expect(await sendMessage('memory', 'ses_3')).toBe('first words | say only the copy');
    expect(await sendMessage('memory', 'ses_2')).toBe('first words');
    const { sessions } = readList(await callDevice(createListRequest()));
    const copies = sessions.filter(({ agentSessionId }) => agentSessionId.endsWith('-copy'));
    expect(copies.map(({ sessionId }) => sessionId).sort()).toEqual(['ses_3', 'ses_4']);
    expect(sessions.find(({ agentSessionId }) => agentSessionId === 'session-a')!.sessionId).toBe('ses_2');
  }, 60_000);

  it('goes on after a restart of the agent', async () => {
    await serve();
    terminal.addSession('session-a', ['first words']);
    expect(await startSession({ resume: 'session-a', fork: true })).toMatchObject({ ok: true });
    await provider.stopSession('ses_2');
    expect(await sendMessage('memory')).toBe('first words');
  }, 60_000);
});

it('stays untrusted if an app has prompted it, in copies and after its end', async () => {
  await serve();
  terminal.addSession('session-a', ['say hello']);
  expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
  await callDevice({ ...createMessageRequest('say from an app'), sessionId: 'ses_2', caller: 'app' });
  const isUntrusted = async (id: string) =>
    (await store.loadState('machine'))!.agentSessions![id]!.hasUntrustedPrompt === true;
  expect(await startSession({ resume: 'session-a', fork: true, tag: 'copy' })).toMatchObject({ ok: true });
  const end = { ...createSessionRequest('session.end', {}), sessionId: 'ses_2' };
  expect(await callDevice(end)).toMatchObject({ ok: true });
  expect(await startSession({ resume: 'session-a', tag: 'again' })).toMatchObject({ ok: true });
  terminal.addSession('session-b', ['say hello']);
  expect(await startSession({ resume: 'session-b', tag: 'other' })).toMatchObject({ ok: true });
  expect([await isUntrusted('ses_3'), await isUntrusted('ses_4'), await isUntrusted('ses_5')]).toEqual([
    true,
    true,
    false,
  ]);
}, 60_000);

it('has its conversation also if an instance of an earlier release takes the messages', async () => {
  await serve();
  terminal.addSession('session-a', ['say hello']);
  served.service.getHistoryError = (batch) =>
    batch.some(({ imported }) => imported !== undefined) ? new FakeServiceError(400, 'invalid_request') : undefined;
  expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
  await waitUntil(() => getImported().length > 2);
  expect(getImported().map(({ role, imported }) => [role, imported])).toEqual([
    ['user', undefined],
    ['assistant', undefined],
    ['tool', undefined],
  ]);
}, 60_000);

describe('two writers of one session', () => {
  it('are refused by an agent that permits one, and nothing is started', async () => {
    await serve();
    terminal.addSession('session-a', ['say hello']);
    terminal.refuseLoad({ code: -32600, message: 'thread_active_writer' });
    expect(await startSession({ resume: 'session-a' })).toMatchObject({
      ok: false,
      error: { code: 'agent_start_failed', message: expect.stringContaining('thread_active_writer') },
    });
    expect([...served.service.sessions.values()].map(({ state }) => state)).toEqual(['active', 'ended']);
    // A copy has one writer.
    expect(await startSession({ resume: 'session-a', fork: true, tag: 'copy' })).toMatchObject({ ok: true });
    terminal.permitLoad();
    expect(await startSession({ resume: 'session-a', tag: 'later' })).toMatchObject({ ok: true });
  }, 60_000);

  it('both are in the memory of an agent that permits them, once it reads the session again', async () => {
    await serve();
    terminal.addSession('session-a', ['one']);
    expect(await startSession({ resume: 'session-a' })).toMatchObject({ ok: true });
    terminal.addSession('session-a', ['one', 'written at the terminal']);
    await provider.stopSession('ses_2');
    expect(await sendMessage('memory')).toBe('one | written at the terminal');
    // What the agent repeats then is not new.
    expect(served.service.messages.filter(({ imported }) => imported)).toHaveLength(3);
  }, 60_000);
});

describe('a start that continues', () => {
  it.each([
    ['no-load', {}, 'agent_unsupported'],
    ['no-fork', { fork: true }, 'agent_unsupported'],
    ['', { resume: 'session-unknown' }, 'agent_session_not_found'],
    ['', { resume: 'session-unknown', fork: true }, 'agent_session_not_found'],
    ['', { cwd: 'app' }, 'agent_session_not_found'],
    ['', { resume: 'session-outside' }, 'cwd_not_allowed'],
    ['', { resume: 'session-outside', fork: true }, 'cwd_not_allowed'],
    ['', { agent: 'unknown' }, 'agent_not_found'],
    ['no-list', { resume: 'session-unknown' }, 'agent_session_not_found'],
  ])(
    'with %j and %j is refused, and leaves no active session',
    async (agentOptions, params, code) => {
      await serve(agentOptions);
      terminal.createFolder('home/app');
      terminal.addSession('session-a', ['say hello']);
      terminal.addSession('session-outside', ['say hello'], terminal.createFolder('outside'));
      expect(await startSession({ resume: 'session-a', ...params })).toMatchObject({ ok: false, error: { code } });
      const states = [...served.service.sessions.values()].map(({ state }) => state);
      expect(states.filter((state) => state === 'active')).toHaveLength(1);
    },
    60_000,
  );

  it.each([[{ resume: '' }], [{ resume: 7 }], [{ resume: 'with blank' }], [{ resume: 'a', fork: 'yes' }]])(
    'is refused with %j',
    async (params) => {
      await serve();
      expect(await startSession(params)).toMatchObject({ ok: false, error: { code: 'internal' } });
      expect(served.service.sessions.size).toBe(1);
    },
    30_000,
  );

  it('gives back the place of its agent if the machine takes no message', async () => {
    await serve();
    terminal.addSession('session-a', ['first words']);
    const start = () => startSession({ resume: 'session-a', content: 'say now' });
    const isFull = jest.spyOn(HistoryWriter.prototype, 'isFull', 'get').mockReturnValue(true);
    for (let count = 0; count < DEFAULT_MAX_AGENTS; count++)
      expect(await start()).toMatchObject({ ok: false, error: { code: 'busy' } });
    isFull.mockRestore();
    expect(await start()).toMatchObject({ ok: true });
  }, 60_000);
});
