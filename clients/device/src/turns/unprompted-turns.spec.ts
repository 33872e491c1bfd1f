import { createHash } from 'node:crypto';
import { AgentError } from '../agent/agent-error';
import type { AgentTurnListener } from '../agent/agent-session';
import { MemoryKeyStore } from '../index';
import { AGENT_CAPABILITIES } from '../machine/capability-negotiation';
import { FakeServiceError } from '../testing/fake-accounts';
import { createPermissionRequest, ScriptedAgents } from '../testing/scripted-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
let agents: ScriptedAgents;

async function startMachine(capabilities = AGENT_CAPABILITIES): Promise<void> {
  agents = new ScriptedAgents({ work: () => new Promise(() => undefined) });
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  const options = { commands: [command], provider: agents };
  served = await ServedMachine.start({
    store: new MemoryKeyStore(),
    agents: options,
    prepare: (service) => (service.acceptedCapabilities = [...capabilities]),
  });
  await served.service.callDevice(createMessageRequest('hello'));
}
afterEach(() => served.stop());

/** Lets the agent work by itself. */
function beginWork(isLast = false) {
  let settle: (error?: AgentError) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  ended.catch(() => undefined);
  const listener = agents.receiver?.({ isLast, ended, cancel: () => Promise.resolve(settle()) });
  return { listener: listener as AgentTurnListener, settle };
}

const { values } = Object;
const findAgentTurns = () => [...served.service.agents.turns.values()].filter(({ origin }) => origin === 'agent');
const getAgentTurn = () => findAgentTurns()[0]!;
const waitForState = (state: string) => waitUntil(() => findAgentTurns()[0]?.state === state);
const getStates = (localId: string) =>
  served.service.agents.storedStates.filter((line) => line.startsWith(`${localId} `)).map((line) => line.split(' ')[1]);

describe('a turn that the agent begins', () => {
  beforeEach(() => startMachine());

  it('has an id of the device, its messages and its end', async () => {
    const { listener, settle } = beginWork();
    await waitForState('running');
    expect(getAgentTurn().localId).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    listener.messageCompleted('The build is done.');
    listener.toolCallFinished({ id: 'a', title: 'Read', kind: 'read', status: 'completed', output: '' });
    settle();
    await waitForState('completed');
    const { localId, stopReason, startedAt, endedAt } = getAgentTurn();
    expect(stopReason).toBe('end_turn');
    expect(startedAt).toBeLessThanOrEqual(endedAt!);
    const messages = served.service.messages.filter(({ turnLocalId }) => turnLocalId === localId);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(messages.every((message) => !('turnOrigin' in message))).toBe(true);
  });

  it('requires action while the agent asks, and gets the decision', async () => {
    const { listener, settle } = beginWork();
    const request = createPermissionRequest();
    listener.permissionRequested(request);
    await waitForState('requires_action');
    const localId = `${getAgentTurn().localId}:p1`;
    const { content } = served.service.agents.permissionRequests.get(localId)!;
    const contentHash = createHash('sha256').update(content).digest('base64url');
    const decision = createSessionRequest('session.permission', { localId, optionId: 'o2', contentHash });
    expect(await served.service.callDevice(decision)).toMatchObject({ ok: true, result: { state: 'allowed' } });
    expect(request.outcomes).toMatchObject([{ optionId: 'o2' }]);
    await waitForState('running');
    settle();
    await waitForState('completed');
    expect(getStates(getAgentTurn().localId)).toEqual(['running', 'requires_action', 'running', 'completed']);
  });

  it('is cancelled by a caller', async () => {
    const { listener } = beginWork();
    const request = createPermissionRequest();
    listener.permissionRequested(request);
    await waitForState('requires_action');
    const turnId = getAgentTurn().localId.replace('req_', 'turn_');
    const cancelled = await served.service.callDevice(createSessionRequest('session.cancel', { turnId }));
    expect(cancelled).toMatchObject({ ok: true, result: { state: 'cancelled' } });
    expect(request.outcomes).toEqual([null]);
    await waitForState('cancelled');
  });

  it('runs beside the turn of a message', async () => {
    const { settle } = beginWork();
    await waitForState('running');
    // Such a turn makes no session busy.
    const message = createSessionRequest('session.message', { content: 'two', ifBusy: 'reject' });
    expect(await served.service.callDevice(message)).toMatchObject({
      result: { reply: 'Answer to two', turn: { state: 'completed' } },
    });
    expect(getAgentTurn().state).toBe('running');
    settle();
    await waitForState('completed');
  });

  it('fails with its agent, and the last one says that the agent is stopped', async () => {
    const { settle } = beginWork(true);
    settle(new AgentError('agent_lost', 'The agent ended.'));
    await waitForState('failed');
    expect(getAgentTurn().errorCode).toBe('agent_lost');
    const { localId } = getAgentTurn();
    const roles = served.service.messages.filter(({ turnLocalId }) => turnLocalId === localId).map(({ role }) => role);
    // Why it has failed, and that it is stopped.
    expect(roles).toEqual(['system', 'system']);
  });

  it('ends with its session', async () => {
    beginWork();
    await waitForState('running');
    await served.service.callDevice(createSessionRequest('session.end', {}));
    await waitForState('cancelled');
    expect(agents.receiver?.({ isLast: false, ended: Promise.resolve(), cancel: () => Promise.resolve() })).toBe(
      undefined,
    );
  });
});

describe('a service that refuses turns of agents', () => {
  it('gets none if it does not accept the capability', async () => {
    await startMachine(AGENT_CAPABILITIES.filter((name) => name !== 'session.unprompted'));
    expect(beginWork().listener).toBeUndefined();
    expect(served.service.agents.turns.size).toBe(1);
  });

  it('gets them as turns of messages if an older instance answers, and no message is lost', async () => {
    await startMachine();
    served.service.agents.getReportError = (_path, report) =>
      values(report as object).includes('agent') ? new FakeServiceError(400, 'invalid_request') : undefined;
    const { listener, settle } = beginWork();
    listener.messageCompleted('The build is done.');
    settle();
    await waitUntil(
      () => [...served.service.agents.turns.values()].filter(({ state }) => state === 'completed').length === 2,
    );
    const [, turn] = [...served.service.agents.turns.values()];
    expect(turn).not.toHaveProperty('origin');
    expect(served.service.messages.at(-1)).toMatchObject({ role: 'assistant', turnLocalId: turn?.localId });
  });
});
