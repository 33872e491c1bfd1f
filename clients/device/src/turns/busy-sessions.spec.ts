import { AgentError } from '../agent/agent-error';
import { JsonRpcError } from '../agent/json-rpc-peer';
import { MemoryKeyStore } from '../index';
import { createPermissionRequest, ScriptedAgents, type AgentScript } from '../testing/scripted-agents';
import { createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
let agents: ScriptedAgents;
let store: MemoryKeyStore;
let end: () => void;
const SCRIPTS: Record<string, AgentScript> = {
  work: async (listener) => {
    listener.messageCompleted('Working.');
    await new Promise<void>((resolve) => (end = resolve));
    listener.messageCompleted('Done.');
  },
  ask: async (listener) => {
    const request = createPermissionRequest();
    listener.permissionRequested(request);
    await request.closed;
  },
};
const COMMAND = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };

beforeEach(async () => {
  agents = new ScriptedAgents(SCRIPTS);
  store = new MemoryKeyStore();
  served = await ServedMachine.start({ store, agents: { commands: [COMMAND], provider: agents } });
});
afterEach(() => served.stop());

const createRequest = (content: string, ifBusy?: string, waitMs = 0) =>
  createSessionRequest('session.message', { content, waitMs, ...(ifBusy && { ifBusy }) });
type Request = ReturnType<typeof createRequest>;
const send = (request: Request) => served.service.callDevice(request);
const getTurn = ({ requestId }: Request) => served.service.agents.turns.get(requestId);
const waitForState = (request: Request, state: string) => waitUntil(() => getTurn(request)?.state === state);
const toTurnId = ({ requestId }: Request) => requestId.replace('req_', 'turn_');
const refused = (code: string) => ({ ok: false, error: { code } });

/** Sends a message whose turn runs until the test ends it. */
async function beginWork(content = 'work'): Promise<Request> {
  const request = createRequest(content);
  await send(request);
  await waitUntil(() => agents.prompts.includes(content));
  return request;
}

describe('a message that is rejected if the agent works', () => {
  it('begins a turn of an idle session', async () => {
    const request = createRequest('first', 'reject', 5_000);
    expect(await send(request)).toMatchObject({ ok: true, result: { turn: { state: 'completed' } } });
  });

  it('is refused while a turn runs, and leaves nothing behind', async () => {
    const working = await beginWork();
    const request = createRequest('second', 'reject');
    expect(await send(request)).toMatchObject(refused('session_busy'));
    end();
    await waitForState(working, 'completed');
    expect([getTurn(request), agents.prompts]).toEqual([undefined, ['work']]);
    expect(served.service.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('is refused while another one is about to begin a turn', async () => {
    const answers = await Promise.all([send(createRequest('work', 'reject')), send(createRequest('work', 'reject'))]);
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });
});

describe('a message that interrupts', () => {
  it('ends the running turn and goes before the queued ones, one prompt at a time', async () => {
    const working = await beginWork();
    const queued = ['one', 'two', 'three'].map((text) => createRequest(text));
    for (const request of queued) await send(request);
    const request = createRequest('now', 'interrupt', 5_000);
    expect(await send(request)).toMatchObject({
      result: { reply: 'Answer to now', turn: { id: toTurnId(request), state: 'completed' } },
    });
    await waitForState(queued[2]!, 'completed');
    await waitForState(working, 'cancelled');
    expect(agents.prompts).toEqual(['work', 'now', 'one', 'two', 'three']);
  });

  it('cancels the open permission requests of the turn', async () => {
    const asking = await beginWork('ask');
    await waitForState(asking, 'requires_action');
    const queued = ['one', 'two', 'three'].map((text) => createRequest(text));
    for (const request of queued) await send(request);
    await send(createRequest('now', 'interrupt', 5_000));
    const [permission] = [...served.service.agents.permissionRequests.values()];
    await waitUntil(() => [...served.service.agents.permissionRequests.values()][0]?.state === 'cancelled');
    expect(permission).toBeDefined();
    await waitForState(asking, 'cancelled');
    await waitForState(queued[2]!, 'completed');
    expect(agents.prompts).toEqual(['ask', 'now', 'one', 'two', 'three']);
  });

  it('gets through to a session whose queue is full', async () => {
    await beginWork();
    for (let i = 0; i < 8; i++) await send(createRequest(`queued ${i}`));
    expect(await send(createRequest('more'))).toMatchObject(refused('busy'));
    expect(await send(createRequest('now', 'interrupt', 5_000))).toMatchObject({ result: { reply: 'Answer to now' } });
  });

  it('never runs if it is cancelled before its prompt', async () => {
    const working = await beginWork();
    agents.blocked = new Promise(() => undefined);
    const request = createRequest('now', 'interrupt');
    await send(request);
    await waitForState(working, 'cancelled');
    const cancellation = createSessionRequest('session.cancel', { turnId: toTurnId(request) });
    expect(await served.service.callDevice(cancellation)).toMatchObject({ result: { state: 'cancelled' } });
    expect(agents.prompts).toEqual(['work']);
  });

  it('begins a turn of an idle session', async () => {
    expect(await send(createRequest('now', 'interrupt', 5_000))).toMatchObject({ result: { reply: 'Answer to now' } });
  });

  it('goes before the others after a restart, too', async () => {
    let release = (): void => undefined;
    await beginWork();
    agents.blocked = new Promise<void>((resolve) => (release = resolve));
    await send(createRequest('one'));
    await send(createRequest('now', 'interrupt'));
    await send(createRequest('two'));
    await served.runner.stop();
    agents.blocked = undefined;
    release();
    served.runner = await served.machine.startServing();
    await waitUntil(() => agents.prompts.length === 4);
    expect(agents.prompts).toEqual(['work', 'now', 'one', 'two']);
  });
});

describe('a message that steers', () => {
  beforeEach(() => (agents.canSteer = true));

  it('joins the running turn, and its text is in the history before the agent sees it', async () => {
    const working = await beginWork();
    const request = createRequest('Use the other file.', 'steer');
    agents.takeSteering = async () => {
      await waitUntil(() => served.service.messages.some(({ localId }) => localId === `${request.requestId}:user`));
      return true;
    };
    const answer = await send(request);
    const turn = { id: toTurnId(working), state: 'running', stopReason: null };
    expect(answer).toMatchObject({ ok: true, result: { accepted: true, reply: null, steered: true, turn } });
    expect([agents.steeredTexts, agents.prompts]).toEqual([['Use the other file.'], ['work']]);
    expect(getTurn(request)).toBeUndefined();
    end();
    await waitForState(working, 'completed');
    expect(served.service.messages.map(({ localId, turnLocalId }) => [localId, turnLocalId])).toEqual([
      [`${working.requestId}:user`, working.requestId],
      [`${working.requestId}:1`, working.requestId],
      [`${request.requestId}:user`, working.requestId],
      [`${working.requestId}:2`, working.requestId],
    ]);
  });

  it('waits for the turn that it has joined, and is not cancelled with it', async () => {
    await beginWork();
    const answer = send(createRequest('More.', 'steer', 10_000));
    await waitUntil(() => agents.steeredTexts.length === 1);
    end();
    const reply = 'Working.\n\nDone.';
    expect(await answer).toMatchObject({ result: { steered: true, reply, turn: { state: 'completed' } } });
  });

  it('becomes a turn of its own if the turn ends before the agent has it, and is in the history once', async () => {
    const working = await beginWork();
    const request = createRequest('Too late.', 'steer', 5_000);
    agents.takeSteering = async () => {
      end();
      await waitForState(working, 'completed');
      return false;
    };
    expect(await send(request)).toMatchObject({
      result: { steered: false, reply: 'Answer to Too late.', turn: { id: toTurnId(request), state: 'completed' } },
    });
    expect(agents.prompts).toEqual(['work', 'Too late.']);
    expect(served.service.messages.filter(({ localId }) => localId === `${request.requestId}:user`)).toHaveLength(1);
  });

  it('begins a turn of an idle session', async () => {
    const request = createRequest('first', 'steer', 5_000);
    expect(await send(request)).toMatchObject({ result: { steered: false, turn: { id: toTurnId(request) } } });
  });

  it.each([
    ['refuses it', new JsonRpcError(-32603, 'Not now'), 'steer_unsupported'],
    ['does not answer', new AgentError('agent_silent', 'The agent did not answer in time.'), 'internal'],
  ])('is refused if the agent %s, and a notice after it says so', async (_, error, code) => {
    const working = await beginWork();
    agents.takeSteering = () => Promise.reject(error);
    const request = createRequest('More.', 'steer');
    expect(await send(request)).toMatchObject(refused(code));
    end();
    await waitForState(working, 'completed');
    expect(served.service.messages.map(({ localId, role }) => [localId, role])).toEqual([
      [`${working.requestId}:user`, 'user'],
      [`${working.requestId}:1`, 'assistant'],
      [`${request.requestId}:user`, 'user'],
      [`${working.requestId}:2`, 'system'],
      [`${working.requestId}:3`, 'assistant'],
    ]);
    expect([getTurn(request), agents.prompts]).toEqual([undefined, ['work']]);
  });

  it('is refused with files, which an agent gets with a prompt only', async () => {
    await beginWork();
    const attachments = [{ name: 'notes.txt', mediaType: null, data: 'YQ==' }];
    const params = { content: 'More.', waitMs: 0, ifBusy: 'steer', attachments };
    const request = createSessionRequest('session.message', params);
    expect(await send(request)).toMatchObject(refused('steer_unsupported'));
    expect([agents.steeredTexts, agents.prompts]).toEqual([[], ['work']]);
  });

  it('is refused by an agent that can not do it, and for an app that the agent has not worked for', async () => {
    agents.canSteer = false;
    await beginWork();
    expect(await send(createRequest('More.', 'steer'))).toMatchObject(refused('steer_unsupported'));
    agents.canSteer = true;
    const byApp = { ...createRequest('More.', 'steer'), caller: 'app' };
    expect(await send(byApp)).toMatchObject(refused('steer_unsupported'));
    expect([agents.steeredTexts, agents.prompts]).toEqual([[], ['work']]);
  });
});
