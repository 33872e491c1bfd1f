import { setTimeout as sleep } from 'node:timers/promises';
import { AgentError } from '../agent/agent-error';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents, type AgentScript } from '../testing/scripted-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
let agents: ScriptedAgents;
const endings = new Map<string, () => void>();
/** Works until the test ends it. */
const workUntilEnded =
  (name: string): AgentScript =>
  async (listener) => {
    await new Promise<void>((resolve) => endings.set(name, resolve));
    listener.messageCompleted(`${name} is done`);
  };
const SCRIPTS: Record<string, AgentScript> = {
  work: workUntilEnded('work'),
  talk: (listener) => {
    listener.messageCompleted('First.');
    listener.toolCallFinished({ id: 'c1', title: 'ls', kind: 'execute', status: 'completed', output: 'a.txt' });
    listener.messageCompleted('Second.');
    agents.turnUse = { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 }, cost: null, context: null };
  },
  overflow: (listener) => listener.messageCompleted(`${'x'.repeat(262_143)}😀`),
  refuse: () => ({ stopReason: 'refusal' }),
  crash: () => Promise.reject(new AgentError('agent_lost', 'The agent has ended.')),
  break: () => Promise.reject(new TypeError('broken')),
};

async function startMachine() {
  agents = new ScriptedAgents(SCRIPTS);
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ agents: { commands: [command], provider: agents } });
}
beforeEach(startMachine);
afterEach(() => served.stop());

const createWaitingRequest = (content: string, waitMs: number) =>
  createSessionRequest('session.message', { content, waitMs });
const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);
const cancelTurn = (requestId: string) =>
  served.service.callDevice(createSessionRequest('session.cancel', { turnId: toTurnId(requestId) }));
const toTurnId = (requestId: string) => requestId.replace('req_', 'turn_');

describe('a message to an agent', () => {
  it('is answered when its turn has ended, with the text of the agent', async () => {
    const request = createWaitingRequest('talk', 5_000);
    expect(await served.service.callDevice(request)).toEqual({
      ok: true,
      result: {
        accepted: true,
        messageId: `msg_${request.requestId}:user`,
        reply: 'First.\n\nSecond.',
        turn: { id: toTurnId(request.requestId), state: 'completed', stopReason: 'end_turn' },
      },
    });
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
    expect(getTurn(request.requestId)).toMatchObject({
      stopReason: 'end_turn',
      errorCode: null,
      pendingPermissions: 0,
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
    });
  });

  it('becomes messages of the turn, in order', async () => {
    const request = createWaitingRequest('talk', 5_000);
    await served.service.callDevice(request);
    const { requestId } = request;
    expect(served.service.messages.map(({ localId, role, turnLocalId }) => [localId, role, turnLocalId])).toEqual([
      [`${requestId}:user`, 'user', requestId],
      [`${requestId}:1`, 'assistant', requestId],
      [`${requestId}:2`, 'tool', requestId],
      [`${requestId}:3`, 'assistant', requestId],
    ]);
  });

  it('is answered with no more than 262,144 characters, all of them whole', async () => {
    const answer = await served.service.callDevice(createWaitingRequest('overflow', 5_000));
    expect(answer).toMatchObject({ ok: true, result: { reply: expect.stringMatching(/^x{262143}$/) } });
  });

  it('is answered at once without a time to wait, and the agent works on', async () => {
    const request = createWaitingRequest('work', 0);
    expect(await served.service.callDevice(request)).toMatchObject({
      ok: true,
      result: { reply: null, turn: { id: toTurnId(request.requestId), stopReason: null } },
    });
    await waitUntil(() => getTurn(request.requestId)?.state === 'running');
    endings.get('work')?.();
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
  });

  it('is answered when its time is over, and the agent works on', async () => {
    const request = createWaitingRequest('work', 1_500);
    expect(await served.service.callDevice(request)).toMatchObject({
      ok: true,
      result: { turn: { state: 'running' } },
    });
    endings.get('work')?.();
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
  });

  it.each([
    ['refuse', { state: 'completed', stopReason: 'refusal', errorCode: null }],
    ['crash', { state: 'failed', stopReason: null, errorCode: 'agent_lost' }],
    ['break', { state: 'failed', stopReason: null, errorCode: 'agent_error' }],
  ])('reports how the agent ended: %s', async (text, expected) => {
    const request = createMessageRequest(text);
    const { state, stopReason } = expected;
    expect(await served.service.callDevice(request)).toMatchObject({
      ok: true,
      result: { turn: { state, stopReason } },
    });
    await waitUntil(() => getTurn(request.requestId)?.state === state);
    expect(getTurn(request.requestId)).toMatchObject(expected);
  });

  it('fails with the code of an agent that cannot start', async () => {
    agents.startError = new AgentError('agent_auth_required', 'Log in first.');
    const request = createMessageRequest('hello');
    await served.service.callDevice(request);
    await waitUntil(() => getTurn(request.requestId)?.errorCode === 'agent_auth_required');
    expect(served.service.agents.storedStates).not.toContain(`${request.requestId} running`);
  });

  it('has no turn in a session of another device', async () => {
    const request = { ...createMessageRequest('hello'), sessionId: 'ses_of_another' };
    expect(await served.service.callDevice(request)).toMatchObject({ result: { reply: 'hello', turn: null } });
    expect(agents.prompts).toEqual([]);
  });

  it('shows the agent in the session', async () => {
    await served.service.callDevice(createMessageRequest('hello'));
    const [session] = served.service.sessions.values();
    expect(session).toMatchObject({ agent: { name: 'scripted', title: 'Scripted agent', mode: null } });
  });
});

describe('the queue', () => {
  it('prompts one message at a time, in order', async () => {
    await served.service.callDevice(createWaitingRequest('work', 0));
    const second = createWaitingRequest('second', 5_000);
    const answer = served.service.callDevice(second);
    await waitUntil(() => getTurn(second.requestId)?.state === 'queued' && agents.prompts.length > 0);
    await sleep(50);
    expect(agents.prompts).toEqual(['work']);
    endings.get('work')?.();
    expect(await answer).toMatchObject({ result: { reply: 'Answer to second' } });
    expect(agents.prompts).toEqual(['work', 'second']);
  });

  it('has 8 places besides the running turn; the next message is refused before anything is done', async () => {
    await served.service.callDevice(createWaitingRequest('work', 0));
    await waitUntil(() => agents.prompts.length === 1);
    for (let count = 0; count < 8; count++)
      expect(await served.service.callDevice(createWaitingRequest(`queued ${count}`, 0))).toMatchObject({ ok: true });
    const refused = createWaitingRequest('refused', 0);
    expect(await served.service.callDevice(refused)).toMatchObject({ ok: false, error: { code: 'busy' } });
    endings.get('work')?.();
    await waitUntil(() => agents.prompts.length === 9);
    expect(agents.prompts).not.toContain('refused');
    expect(getTurn(refused.requestId)).toBeUndefined();
    expect(served.service.messages.map(({ localId }) => localId)).not.toContain(`${refused.requestId}:user`);
  });

  it('gives no two messages the last place', async () => {
    await served.service.callDevice(createWaitingRequest('work', 0));
    await waitUntil(() => agents.prompts.length === 1);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, count) => served.service.callDevice(createWaitingRequest(`queued ${count}`, 0))),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(8);
    endings.get('work')?.();
  });
});

describe('a cancellation', () => {
  it('of a running turn stops the agent, and the queue goes on', async () => {
    const running = createWaitingRequest('work', 0);
    await served.service.callDevice(running);
    const next = createWaitingRequest('next', 5_000);
    const answer = served.service.callDevice(next);
    await waitUntil(() => getTurn(running.requestId)?.state === 'running');
    expect(await cancelTurn(running.requestId)).toEqual({ ok: true, result: { state: 'cancelled' } });
    expect(await answer).toMatchObject({ result: { reply: 'Answer to next' } });
    await waitUntil(() => getTurn(running.requestId)?.state === 'cancelled');
    expect(getTurn(running.requestId)).toMatchObject({ stopReason: 'cancelled', errorCode: null });
  });

  it('of a queued turn never prompts it', async () => {
    await served.service.callDevice(createWaitingRequest('work', 0));
    const queued = createWaitingRequest('never', 5_000);
    const answer = served.service.callDevice(queued);
    await waitUntil(() => getTurn(queued.requestId)?.state === 'queued');
    expect(await cancelTurn(queued.requestId)).toEqual({ ok: true, result: { state: 'cancelled' } });
    expect(await answer).toMatchObject({ result: { reply: null, turn: { state: 'cancelled' } } });
    await waitUntil(() => agents.prompts.length === 1);
    endings.get('work')?.();
    await served.service.callDevice(createMessageRequest('after'));
    expect(agents.prompts).toEqual(['work', 'after']);
  });

  it('of a turn that waits for an agent never prompts it', async () => {
    agents.blocked = new Promise(() => undefined);
    const request = createWaitingRequest('never', 0);
    await served.service.callDevice(request);
    expect(await cancelTurn(request.requestId)).toEqual({ ok: true, result: { state: 'cancelled' } });
    expect(agents.prompts).toEqual([]);
  });

  it('of a turn that has ended leaves it as it is', async () => {
    const request = createMessageRequest('hello');
    await served.service.callDevice(request);
    expect(await cancelTurn(request.requestId)).toEqual({ ok: true, result: { state: 'completed' } });
  });

  it('by the end of the call removes a queued turn, and leaves a running one', async () => {
    const [socket] = served.service.sockets;
    const running = createWaitingRequest('work', 5_000);
    const runningAnswer = served.service.callDevice(running);
    await waitUntil(() => getTurn(running.requestId)?.state === 'running');
    const queued = createWaitingRequest('never', 5_000);
    const queuedAnswer = served.service.callDevice(queued);
    await waitUntil(() => getTurn(queued.requestId)?.state === 'queued');
    for (const { requestId } of [running, queued]) socket?.emit('relay:cancel', { requestId, reason: 'caller_gone' });
    expect(await runningAnswer).toMatchObject({ ok: true, result: { turn: { state: 'running' } } });
    expect(await queuedAnswer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    endings.get('work')?.();
    await waitUntil(() => getTurn(running.requestId)?.state === 'completed');
    expect(getTurn(queued.requestId)?.state).toBe('cancelled');
    expect(agents.prompts).toEqual(['work']);
  });
});

describe('reports', () => {
  it('of the end wait until the service has stored the messages of the turn', async () => {
    served.service.getHistoryError = () => new FakeServiceError(503, 'service_unavailable');
    const request = createMessageRequest('talk');
    await served.service.callDevice(request);
    await waitUntil(() => getTurn(request.requestId)?.state === 'running');
    await sleep(200);
    expect(getTurn(request.requestId)?.state).toBe('running');
    served.service.getHistoryError = undefined;
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
    expect(served.service.messages).toHaveLength(4);
  });

  it('may arrive after the messages of the turn, which are stored all the same', async () => {
    served.service.agents.getReportError = (_path, report) =>
      (report as { revision: number }).revision === 1 ? undefined : new FakeServiceError(503, 'service_unavailable');
    // The reports of this turn wait until the service accepts those of the first one.
    const delaying = createMessageRequest('hello');
    await served.service.callDevice(delaying);
    const request = createMessageRequest('talk');
    await served.service.callDevice(request);
    await waitUntil(() => served.service.messages.length === 6);
    served.service.agents.getReportError = undefined;
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
    expect(served.countEvents('history')).toBe(0);
  });

  it('are retried, and only the newest state is written', async () => {
    served.service.agents.getReportError = () => new FakeServiceError(503, 'service_unavailable');
    const request = createMessageRequest('hello');
    await served.service.callDevice(request);
    await sleep(100);
    served.service.agents.getReportError = undefined;
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
    const { requestId } = request;
    // Its messages may have announced the turn before.
    const states = served.service.agents.storedStates.filter((state) => !state.endsWith(' queued'));
    expect(states).toEqual([`${requestId} running`, `${requestId} completed`]);
  });

  it('pass through running, also if the service was away while the turn ran', async () => {
    served.service.agents.getReportError = (_path, report) =>
      (report as { state: string }).state === 'queued' ? undefined : new FakeServiceError(503, 'service_unavailable');
    const request = createMessageRequest('work');
    const answer = served.service.callDevice(request);
    await waitUntil(() => agents.prompts.length === 1 && getTurn(request.requestId)?.state === 'queued');
    endings.get('work')?.();
    await answer;
    served.service.agents.getReportError = undefined;
    await waitUntil(() => /^\w+ queued,\w+ running,\w+ completed$/.test(served.service.agents.storedStates.join()));
  });

  it('go on after one that the service rejects', async () => {
    const rejected = createMessageRequest('rejected');
    served.service.agents.getReportError = (path) =>
      path.endsWith(rejected.requestId) ? new FakeServiceError(404, 'not_found') : undefined;
    const request = createMessageRequest('hello');
    for (const each of [rejected, request]) expect(await served.service.callDevice(each)).toMatchObject({ ok: true });
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
    expect(getTurn(rejected.requestId)).toBeUndefined();
  });
});
