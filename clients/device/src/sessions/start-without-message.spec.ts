import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentError } from '../agent/agent-error';
import { AgentPlaces } from '../agent/agent-places';
import { CommandError } from '../exec/command-error';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createMessageRequest, createStartRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const cwd = mkdtempSync(join(tmpdir(), 'starts-'));
afterAll(() => rmSync(cwd, { recursive: true }));

let served: ServedMachine;
let agents: ScriptedAgents;
beforeEach(async () => {
  agents = new ScriptedAgents();
  const command = { name: 'first', command: ['first'], environmentNames: [], mode: 'ask' };
  served = await ServedMachine.start({ cwd, agents: { commands: [command], provider: agents } });
});
afterEach(() => served.stop());

const startSession = (params: object = {}) => served.service.callDevice(createStartRequest(params));
const getSession = (id: string) => [...served.service.sessions.values()].find((session) => session.id === id);

describe('a start without a message', () => {
  it('answers in time while the agent goes on starting, which the next message finds', async () => {
    let finishStart!: () => void;
    agents.blocked = new Promise((resolve) => (finishStart = resolve));
    const startedAt = performance.now();
    const result = { sessionId: 'ses_2', turn: null, agentState: 'starting' };
    expect(await startSession({ waitMs: 0 })).toEqual({ ok: true, result });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    const message = served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
    await waitUntil(() => served.service.agents.turns.size === 1);
    expect(agents.requests).toHaveLength(1);
    agents.blocked = undefined;
    finishStart();
    expect(await message).toMatchObject({ result: { reply: 'Answer to hello' } });
    expect(getSession('ses_2')?.state).toBe('active');
  });

  it('waits a moment for an agent that can not start, also if its caller does not wait', async () => {
    let failStart!: (error: Error) => void;
    agents.blocked = new Promise((_, reject) => (failStart = reject));
    const answer = startSession({ waitMs: 0 });
    await waitUntil(() => agents.requests.length === 1);
    failStart(new AgentError('agent_auth_required', 'Log in first.'));
    expect(await answer).toMatchObject({ ok: false, error: { code: 'agent_auth_required' } });
    expect(getSession('ses_2')?.state).toBe('ended');
  });

  it('says on the terminal why an agent has not started after the answer, and tries again with a message', async () => {
    let failStart!: (error: Error) => void;
    agents.blocked = new Promise((_, reject) => (failStart = reject));
    expect(await startSession({ waitMs: 0, tag: 'slow' })).toMatchObject({ result: { agentState: 'starting' } });
    failStart(new AgentError('agent_silent', 'The agent did not answer in time.'));
    agents.blocked = undefined;
    const answer = await served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
    expect(answer).toMatchObject({ result: { reply: 'Answer to hello' } });
    const problem = 'The session "slow": The agent could not be started: The agent did not answer in time.';
    expect(served.events).toContainEqual({ event: 'agent', problem });
  });

  it('stops the start of a caller that is gone, and ends the session', async () => {
    agents.blocked = new Promise(() => undefined);
    const request = createStartRequest();
    const answer = served.service.callDevice(request);
    await waitUntil(() => agents.requests.length === 1);
    served.service.sockets.at(-1)?.emit('relay:cancel', { requestId: request.requestId, reason: 'caller_gone' });
    expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(getSession('ses_2')?.state).toBe('ended');
  });

  it('ends the session of a start that fails as soon as the service takes it', async () => {
    agents.startError = new AgentError('agent_auth_required', 'Log in first.');
    served.service.getRequestError = (route) =>
      route.startsWith('PATCH') ? new FakeServiceError(503, 'service_unavailable') : undefined;
    expect(await startSession()).toMatchObject({ ok: false, error: { code: 'agent_auth_required' } });
    expect(getSession('ses_2')?.state).toBe('active');
    served.service.getRequestError = undefined;
    await waitUntil(() => getSession('ses_2')?.state === 'ended');
  });

  it('says nothing about an agent that still starts when the machine stops', async () => {
    agents.blocked = new Promise(() => undefined);
    const answer = startSession();
    await waitUntil(() => agents.requests.length === 1);
    await served.runner.stop();
    expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(JSON.stringify(served.events)).not.toContain('could not be started');
  });

  it('refuses a start without a place for its agent before there is a session', async () => {
    agents.reservePlace = () => Promise.reject(new CommandError('busy', 'At most 2 agents.'));
    const error = { code: 'busy', message: 'At most 2 agents.' };
    expect(await startSession({ tag: 'later' })).toEqual({ ok: false, error });
    expect(served.service.sessions.size).toBe(1);
    expect(await startSession({ tag: 'queued', content: 'hello' })).toMatchObject({ ok: true });
    agents.reservePlace = undefined;
    expect(await startSession({ tag: 'later' })).toMatchObject({ ok: true });
  });

  it('refuses a start before there is a session while the service takes no calls of the machine', async () => {
    served.service.getRequestError = (route) =>
      route.startsWith('GET /v1/sessions?') ? new FakeServiceError(503, 'service_unavailable') : undefined;
    expect(await startSession({ tag: 'later' })).toMatchObject({ ok: false, error: { code: 'busy' } });
    expect(served.service.sessions.size).toBe(1);
    served.service.getRequestError = undefined;
    expect(await startSession({ tag: 'later' })).toMatchObject({ ok: true });
  });

  it('gives the reserved place back when it fails before it reaches the agent', async () => {
    const places = new AgentPlaces(1);
    agents.reservePlace = (signal) => places.claimPlace(signal);
    served.service.getRequestError = (route) =>
      route === 'POST /v1/sessions' ? new FakeServiceError(403, 'plan_limit_exceeded') : undefined;
    expect(await startSession()).toMatchObject({ ok: false });
    expect(places.freeCount).toBe(1);
  });

  it('adds the words of the agent: its error, and the end of its standard error', async () => {
    agents.startError = new AgentError('agent_error', 'The agent answered with error -32603.');
    const lastErrorLines = 'line 1\nset MODEL_KEY';
    (agents.startError as AgentError).report = { errorText: 'MODEL_KEY is not valid', lastErrorLines };
    const answer = await startSession();
    expect(answer).toMatchObject({ ok: false, error: { code: 'agent_start_failed' } });
    const { message } = (answer as { error: { message: string } }).error;
    expect(message).toMatch(
      /error -32603\.\nIt said: MODEL_KEY is not valid\nThe last lines of its standard error:\nline 1\n/,
    );
    expect(message).toMatch(/\nset MODEL_KEY$/);
  });
});
