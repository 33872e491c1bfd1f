import { ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, createStartRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const MAX_OPEN_TURNS = 64;
const TURNS_PER_SESSION = 8;

let served: ServedMachine;
let agents: ScriptedAgents;

beforeEach(async () => {
  agents = new ScriptedAgents({ work: () => new Promise(() => undefined) });
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ agents: { commands: [command], provider: agents } });
});
afterEach(() => served.stop());

const createRequest = (sessionId: string) => ({
  ...createSessionRequest('session.message', { content: 'work', waitMs: 0 }),
  sessionId,
});
const cancelTurn = ({ requestId }: { requestId: string }, sessionId: string) => {
  const turnId = requestId.replace('req_', 'turn_');
  return served.service.callDevice({ ...createSessionRequest('session.cancel', { turnId }), sessionId });
};
const listSessionIds = () => [...served.service.sessions.values()].map(({ id }) => id);

/** Sends as many messages as the machine takes, none of which fills the queue of its session. */
async function openTurns(count: number) {
  for (let started = 1; started < MAX_OPEN_TURNS / TURNS_PER_SESSION; started++)
    expect(await served.service.callDevice(createStartRequest())).toMatchObject({ ok: true });
  const requests = listSessionIds().flatMap((id) => Array.from({ length: TURNS_PER_SESSION }, () => createRequest(id)));
  const answers = await Promise.all(requests.slice(0, count).map((request) => served.service.callDevice(request)));
  return { requests, answers };
}

describe('a machine with 64 open turns', () => {
  it('refuses a message, and accepts one again when a turn has ended', async () => {
    const { requests, answers } = await openTurns(MAX_OPEN_TURNS);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(MAX_OPEN_TURNS);
    const refused = createRequest('ses_1');
    const message = 'The machine has 64 open turns. It takes another message when one of them ends or is cancelled.';
    expect(await served.service.callDevice(refused)).toEqual({ ok: false, error: { code: 'busy', message } });
    expect(await cancelTurn(requests[0]!, 'ses_1')).toMatchObject({ ok: true });
    expect(await served.service.callDevice(createRequest('ses_1'))).toMatchObject({ ok: true });
    expect(served.service.messages.map(({ localId }) => localId)).not.toContain(`${refused.requestId}:user`);
    expect(served.service.agents.turns.has(refused.requestId)).toBe(false);
  });

  it('refuses to start a session with a message before there is a session, and starts one without', async () => {
    await openTurns(MAX_OPEN_TURNS);
    const sessionCount = listSessionIds().length;
    const refused = createStartRequest({ content: 'work' });
    expect(await served.service.callDevice(refused)).toMatchObject({ ok: false, error: { code: 'busy' } });
    expect(listSessionIds()).toHaveLength(sessionCount);
    expect(await served.service.callDevice(createStartRequest())).toMatchObject({ ok: true });
  });
});

it('gives no two calls the last open turn', async () => {
  await openTurns(MAX_OPEN_TURNS - 1);
  const sessionCount = listSessionIds().length;
  const answers = await Promise.all([
    served.service.callDevice(createStartRequest({ content: 'work', waitMs: 0 })),
    served.service.callDevice(createRequest('ses_1')),
    served.service.callDevice(createRequest('ses_2')),
  ]);
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  expect(answers.flatMap((answer) => (answer.ok ? [] : [answer.error.code]))).toEqual(['busy', 'busy']);
  await waitUntil(() => listSessionIds().length === sessionCount + (answers[0].ok ? 1 : 0));
});

describe('open turns of two sessions', () => {
  const getState = ({ requestId }: { requestId: string }) => served.service.agents.turns.get(requestId)?.state;

  /** Sends each session a message whose turn runs, and one that waits for it. */
  async function openTwoSessions() {
    expect(await served.service.callDevice(createStartRequest())).toMatchObject({ ok: true });
    const open = listSessionIds().map((id) => ({ id, running: createRequest(id), queued: createRequest(id) }));
    for (const { running, queued } of open)
      for (const request of [running, queued])
        expect(await served.service.callDevice(request)).toMatchObject({ ok: true });
    await waitUntil(() => open.every(({ running, queued }) => getState(running) === 'running' && !!getState(queued)));
    return open as [(typeof open)[0], (typeof open)[0]];
  }

  it('are not cancelled by a call for the other session', async () => {
    const [one, other] = await openTwoSessions();
    for (const turn of [other.running, other.queued])
      expect(await cancelTurn(turn, one.id)).toMatchObject({ ok: false, error: { code: 'internal' } });
    // Reports of the other turns would arrive before those of these cancellations.
    for (const turn of [one.queued, one.running]) await cancelTurn(turn, one.id);
    await waitUntil(() => getState(one.queued) === 'cancelled' && getState(one.running) === 'cancelled');
    expect([getState(other.running), getState(other.queued)]).toEqual(['running', 'queued']);
  });

  it('go on when the other session ends', async () => {
    const [one, other] = await openTwoSessions();
    const end = { ...createSessionRequest('session.end', {}), sessionId: one.id };
    expect(await served.service.callDevice(end)).toMatchObject({ ok: true });
    await waitUntil(() => getState(one.queued) === 'cancelled' && getState(one.running) === 'cancelled');
    expect([getState(other.running), getState(other.queued)]).toEqual(['running', 'queued']);
  });
});
