import fs from 'node:fs/promises';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentError } from '../agent/agent-error';
import { CommandError } from '../exec/command-error';
import { MemoryKeyStore } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { MAX_SESSIONS } from './session-reservations';
import {
  createMessageRequest,
  createStartRequest,
  createSessionRequest,
  ServedMachine,
  waitUntil,
} from '../testing/served-machine';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sessions-')));
const cwd = join(folder, 'work');
mkdirSync(join(cwd, 'project'), { recursive: true });
mkdirSync(join(folder, 'outside'));
mkdirSync(join(folder, 'work-too'));
symlinkSync(join(folder, 'outside'), join(cwd, 'link'));
afterAll(() => rmSync(folder, { recursive: true }));

const createCommand = (name: string) => ({ name, command: [name], environmentNames: [], mode: 'ask' });

let served: ServedMachine;
let agents: ScriptedAgents;
let store: MemoryKeyStore;
beforeEach(async () => {
  store = new MemoryKeyStore();
  agents = new ScriptedAgents({ work: () => new Promise(() => undefined) });
  const commands = [createCommand('first'), createCommand('second')];
  served = await ServedMachine.start({ cwd, store, agents: { commands, provider: agents } });
});
afterEach(() => served.stop());

const startSession = (params: object = {}) =>
  served.service.callDevice(createStartRequest(params, served.service.clockAheadMs));
const endSession = (sessionId: string) =>
  served.service.callDevice({ ...createSessionRequest('session.end', {}), sessionId });
/** The device learns the time when it connects. */
async function moveServiceClock(aheadMs: number) {
  const count = served.countEvents('connected');
  served.service.clockAheadMs = aheadMs;
  served.service.sockets.at(-1)?.disconnect(true);
  await waitUntil(() => served.connectedSockets === 1 && served.countEvents('connected') === count + 1);
}
const getSession = (id: string) => [...served.service.sessions.values()].find((session) => session.id === id);

describe('session.start', () => {
  it('answers when the agent of the new session is ready', async () => {
    const result = { sessionId: 'ses_2', turn: null, agentState: 'ready' };
    expect(await startSession()).toEqual({ ok: true, result });
    const modeRule = { callerMode: null, decidingCallerMode: 'allow', mustAsk: true };
    const request = {
      command: createCommand('first'),
      cwd,
      agentSessionId: null,
      agentSessionAgeMs: expect.any(Number),
      modeRule,
    };
    expect(agents.requests).toEqual([request]);
    expect(agents.prompts).toEqual([]);
    const answer = await served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
    expect(answer).toMatchObject({ result: { reply: 'Answer to hello', turn: { state: 'completed' } } });
  });

  it('answers a first message like any other', async () => {
    const request = createStartRequest({ content: 'hello' });
    const id = request.requestId.replace('req_', 'turn_');
    expect(await served.service.callDevice(request)).toEqual({
      ok: true,
      result: { sessionId: 'ses_2', turn: { id, state: 'completed', stopReason: 'end_turn' } },
    });
    expect(served.service.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    await waitUntil(() => served.service.agents.turns.get(request.requestId)?.sessionId === 'ses_2');
  });

  it('uses the agent, the folder, the mode and the tag that the caller names', async () => {
    await startSession({ agent: 'second', cwd: 'project', mode: 'code', tag: 'my-tag' });
    expect(agents.requests).toMatchObject([
      { command: { name: 'second' }, cwd: join(cwd, 'project'), modeRule: { callerMode: 'code' } },
    ]);
    expect(getSession('ses_2')?.tag).toBe('my-tag');
  });

  it.each([
    ['an unknown agent', { agent: 'third' }, 'agent_not_found'],
    ['a missing folder', { cwd: 'missing' }, 'cwd_not_found'],
    ['the folder above', { cwd: '..' }, 'cwd_not_allowed'],
    ['a folder whose name begins like an allowed one', { cwd: '../work-too' }, 'cwd_not_allowed'],
    ['a link that leads outside', { cwd: 'link' }, 'cwd_not_allowed'],
  ])('refuses %s', async (_, params, code) => {
    expect(await startSession(params)).toMatchObject({ ok: false, error: { code } });
    expect(served.service.sessions.size).toBe(1);
    expect(agents.requests).toEqual([]);
  });

  it('refuses a tag that exists', async () => {
    await startSession({ tag: 'taken' });
    expect(await startSession({ tag: 'taken' })).toMatchObject({ ok: false, error: { code: 'session_exists' } });
    expect(served.service.sessions.size).toBe(2);
  });

  it('gives a tag to one of two calls at the same time, with one data key', async () => {
    const answers = await Promise.all([startSession({ tag: 'taken' }), startSession({ tag: 'taken' })]);
    // Either may be the first to reach the key store.
    const [started, refused] = answers[0].ok ? answers : answers.toReversed();
    expect([started, refused]).toMatchObject([{ ok: true }, { ok: false, error: { code: 'session_exists' } }]);
    expect(agents.requests).toHaveLength(1);
    expect(Object.keys((await store.loadState('machine'))!.dataKeys!)).toHaveLength(2);
  });

  it('refuses a tag that another device takes at the same time', async () => {
    const record = { id: 'ses_9', tag: 'taken', state: 'active', version: 1, metadata: null };
    const taken = { ...record, dataKey: { kid: 'other', sealed: 'sealed' } };
    served.service.delayRequest = (route) => {
      if (route === 'POST /v1/sessions') served.service.sessions.set('taken', taken);
      return undefined;
    };
    expect(await startSession({ tag: 'taken' })).toMatchObject({ ok: false, error: { code: 'session_exists' } });
  });

  it('has the session that the service created without an answer that arrived', async () => {
    const { service } = served;
    service.getRequestError = (route, body) => {
      if (route !== 'POST /v1/sessions') return undefined;
      service.getRequestError = undefined;
      const created = { metadata: null, ...body, id: 'ses_2', tag: 'work', state: 'active', version: 1 };
      service.sessions.set('work', created);
      return new FakeServiceError(502, 'bad_gateway');
    };
    expect(await startSession({ tag: 'work' })).toMatchObject({ ok: true, result: { sessionId: 'ses_2' } });
    expect(service.sessions.size).toBe(2);
  });

  it('says why there was no session when its time is over', async () => {
    served.service.getRequestError = (route) =>
      route === 'POST /v1/sessions' ? new FakeServiceError(502, 'bad_gateway') : undefined;
    const answer = await served.service.callDevice({ ...createStartRequest(), timeoutMs: 2_500 });
    const message = expect.stringContaining('status 502');
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal', message } });
  });

  it.each(['__proto__', 'constructor', 'toString'])('remembers the data key of the tag %s', async (tag) => {
    await startSession({ tag });
    await served.runner.stop();
    served.runner = await served.machine.startServing();
    const answer = await served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
    expect(answer).toMatchObject({ result: { reply: 'Answer to hello', turn: { state: 'completed' } } });
    expect(Object.keys((await store.loadState('machine'))!.dataKeys!)).toContain(tag);
  });

  it('ends the session again when its first message cannot be accepted', async () => {
    store.openTurnJournal().saveEntry = () => Promise.reject(new Error('ENOSPC'));
    expect(await startSession({ content: 'hello' })).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(getSession('ses_2')?.state).toBe('ended');
    expect((await store.loadState('machine'))?.agentSessions).not.toHaveProperty('ses_2');
  });

  it('refuses a folder that this user cannot enter', async () => {
    // As root, who can enter every folder, the test needs another error of the same kind.
    jest.spyOn(fs, 'access').mockRejectedValueOnce(Object.assign(new Error('denied'), { code: 'EACCES' }));
    expect(await startSession({ cwd: 'project' })).toMatchObject({ ok: false, error: { code: 'cwd_not_allowed' } });
    expect(served.service.sessions.size).toBe(1);
  });

  it('ends the session again when the agent cannot start', async () => {
    agents.startError = new AgentError('agent_auth_required', 'Log in first.');
    expect(await startSession()).toMatchObject({ ok: false, error: { code: 'agent_auth_required' } });
    expect(getSession('ses_2')?.state).toBe('ended');
  });

  it.each([
    ['command_not_found', 'agent_not_found'],
    ['permission_denied', 'agent_start_failed'],
    ['cwd_not_found', 'cwd_not_found'],
    ['mode_not_found', 'mode_not_found'],
    ['agent_mode_unsafe', 'agent_mode_unsafe'],
  ] as const)('says why the agent cannot start: %s', async (causeCode, code) => {
    const cause = new CommandError(causeCode, 'The reason.');
    agents.startError = new AgentError('agent_error', 'No start.', { cause });
    const message = 'The agent could not be started: The reason.';
    expect(await startSession()).toEqual({ ok: false, error: { code, message } });
  });

  it('says that an agent without a cause has not started', async () => {
    agents.startError = new AgentError('agent_silent', 'The agent did not answer.');
    const message = 'The agent could not be started: The agent did not answer.';
    expect(await startSession()).toEqual({ ok: false, error: { code: 'agent_start_failed', message } });
  });

  it('refuses a session beyond the maximum, and ends the one that was idle for longest after a week', async () => {
    const message = `The machine has ${MAX_SESSIONS} active sessions. End one of them.`;
    const refusal = { ok: false, error: { code: 'busy', message } };
    for (let count = 0; count < 2; count++) expect(await startSession()).toMatchObject({ ok: true });
    await moveServiceClock(2 * 3_600_000);
    const hello = { ...createMessageRequest('hello'), sessionId: 'ses_2' };
    const deadline = hello.deadline + served.service.clockAheadMs;
    expect(await served.service.callDevice({ ...hello, deadline })).toMatchObject({ ok: true });
    const answers = await Promise.all(Array.from({ length: MAX_SESSIONS - 2 }, () => startSession()));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(MAX_SESSIONS - 3);
    expect(answers.find(({ ok }) => !ok)).toEqual(refusal);
    await moveServiceClock(7 * 86_400_000 - 3_600_000);
    expect(await startSession()).toEqual(refusal);
    await moveServiceClock(8 * 86_400_000);
    expect(await startSession()).toMatchObject({ ok: true });
    const ended = [...served.service.sessions.values()].filter(({ state }) => state === 'ended');
    expect(ended.map(({ id }) => id)).toEqual(['ses_3']);
  }, 20_000);

  it('takes a place also while its answer waits for the first turn', async () => {
    await Promise.all(Array.from({ length: MAX_SESSIONS - 3 }, () => startSession()));
    const waiting = startSession({ content: 'work', waitMs: 2_000 });
    await waitUntil(() => agents.prompts.length === 1);
    expect(await startSession()).toMatchObject({ ok: true });
    expect(await startSession()).toMatchObject({ ok: false, error: { code: 'busy' } });
    expect(await waiting).toMatchObject({ ok: true });
  }, 20_000);

  it('has the place of a session that an account device has ended', async () => {
    await Promise.all(Array.from({ length: MAX_SESSIONS - 1 }, () => startSession()));
    getSession('ses_3')!.state = 'ended';
    expect(await startSession()).toMatchObject({ ok: true });
    expect(agents.stoppedKeys).toEqual(['ses_3']);
    expect(await startSession()).toMatchObject({ ok: false, error: { code: 'busy' } });
  }, 20_000);

  it('takes no place when it fails', async () => {
    await Promise.all(Array.from({ length: MAX_SESSIONS - 1 }, () => startSession()));
    await moveServiceClock(8 * 86_400_000);
    let refusedEnd = '';
    served.service.getRequestError = (route, body) => {
      if (!route.startsWith('PATCH')) return undefined;
      if ('state' in body) refusedEnd = route;
      return new FakeServiceError(503, 'service_unavailable');
    };
    expect(await startSession()).toMatchObject({ ok: false });
    served.service.getRequestError = undefined;
    expect(await startSession()).toMatchObject({ ok: true });
    // The failed call has freed one place before, whose session ends now.
    const findEnded = () => [...served.service.sessions.values()].filter(({ state }) => state === 'ended');
    await waitUntil(() => findEnded().length > 0);
    expect(findEnded().map(({ id }) => `PATCH /v1/sessions/${id}`)).toEqual([refusedEnd]);
  }, 20_000);

  it('ends no session for a tag that exists', async () => {
    const tags = Array.from({ length: MAX_SESSIONS - 1 }, (_, index) => `tag-${index}`);
    await Promise.all(tags.map((tag) => startSession({ tag })));
    await moveServiceClock(8 * 86_400_000);
    expect(await startSession({ tag: 'tag-3' })).toMatchObject({ ok: false, error: { code: 'session_exists' } });
    expect([...served.service.sessions.values()].filter(({ state }) => state === 'ended')).toEqual([]);
  }, 20_000);

  it('is remembered across a restart, with the session of the agent', async () => {
    await startSession({ agent: 'second', cwd: 'project' });
    await served.runner.stop();
    served.runner = await served.machine.startServing();
    const answer = await served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
    expect(answer).toMatchObject({ result: { turn: { state: 'completed' } } });
    expect(agents.requests[1]).toMatchObject({ command: { name: 'second' }, agentSessionId: 'agent-session-1' });
  });
});

describe('the agent in the record of its session', () => {
  it('delays neither the start nor an answer', async () => {
    let showAgent: () => void = () => undefined;
    const shown = new Promise<void>((resolve) => (showAgent = resolve));
    served.service.delayRequest = (route) => (route.startsWith('PATCH') ? shown : undefined);
    expect(await startSession()).toMatchObject({ ok: true });
    const answer = await served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
    expect(answer).toMatchObject({ result: { reply: 'Answer to hello', turn: { state: 'completed' } } });
    showAgent();
    await waitUntil(() => getSession('ses_2') !== undefined && 'agent' in getSession('ses_2')!);
    expect(getSession('ses_2')).toMatchObject({ agent: { name: 'first', title: 'Scripted agent', mode: null } });
  });
});

describe('session.end', () => {
  it('cancels the turns, stops the agent and ends the record', async () => {
    await startSession();
    const requests = ['work', 'never'].map((content) => ({
      ...createSessionRequest('session.message', { content, waitMs: 0 }),
      sessionId: 'ses_2',
    }));
    for (const request of requests) await served.service.callDevice(request);
    await waitUntil(() => agents.prompts.length === 1);
    expect(await endSession('ses_2')).toEqual({ ok: true, result: { state: 'ended' } });
    expect(getSession('ses_2')?.state).toBe('ended');
    expect(agents.stoppedKeys).toEqual(['ses_2']);
    for (const { requestId } of requests)
      await waitUntil(() => served.service.agents.turns.get(requestId)?.state === 'cancelled');
    expect(agents.prompts).toEqual(['work']);
    expect((await store.loadState('machine'))?.agentSessions).not.toHaveProperty('ses_2');
  });
});
