import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnReport } from '@external-api/protocol';
import { AgentError } from '../agent/agent-error';
import { AGENT_CAPABILITIES } from '../machine/capability-negotiation';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents, type AgentScript } from '../testing/scripted-agents';
import { createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const USE = {
  usage: { inputTokens: 3, outputTokens: 4, totalTokens: 9, cachedInputTokens: 2 },
  cost: { amount: 0.5, currency: 'USD' },
  context: { used: 10, size: 100 },
};
let served: ServedMachine;
let agents: ScriptedAgents;
let endWork: () => void = () => undefined;
const SCRIPTS: Record<string, AgentScript> = {
  talk: () => void (agents.turnUse = USE),
  crash: () => {
    agents.turnUse = USE;
    return Promise.reject(new AgentError('agent_lost', 'The agent has ended.'));
  },
  work: () => new Promise<void>((resolve) => (endWork = resolve)),
};

beforeEach(async () => {
  agents = new ScriptedAgents(SCRIPTS);
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ agents: { commands: [command], provider: agents, activityIntervalMs: 50 } });
});
afterEach(() => served.stop());

const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);

async function runTurn(content: string, state: string) {
  const { requestId } = await sendMessage(content, 5_000);
  await waitUntil(() => getTurn(requestId)?.state === state);
  return getTurn(requestId)!;
}

async function sendMessage(content: string, waitMs: number) {
  const request = createSessionRequest('session.message', { content, waitMs });
  await served.service.callDevice(request);
  return request;
}

async function reconnectWithoutDetails(): Promise<void> {
  served.service.acceptedCapabilities = AGENT_CAPABILITIES.filter((name) => name !== 'turn.details');
  served.service.sockets[0]?.disconnect(true);
  await waitUntil(() => served.connectedSockets === 1 && served.countEvents('connected') === 2);
}

describe('what a turn used', () => {
  it.each([
    ['talk', 'completed'],
    ['crash', 'failed'],
  ])('is reported when the agent has answered %s and the turn is %s', async (content, state) => {
    expect(await runTurn(content, state)).toMatchObject(USE);
  });

  it('is reported without details to an instance of the service that refuses them', async () => {
    served.service.agents.getReportError = (_, report) =>
      hasDetails(report) ? new FakeServiceError(400, 'invalid_request') : undefined;
    const report = await runTurn('talk', 'completed');
    expect(report.usage).toEqual({ inputTokens: 3, outputTokens: 4, totalTokens: 9 });
    expect(hasDetails(report)).toBe(false);
  });

  it('is reported without details to an older service, in the answer to a cancellation too', async () => {
    await reconnectWithoutDetails();
    expect(hasDetails(await runTurn('talk', 'completed'))).toBe(false);
    served.service.agents.getReportError = () => new FakeServiceError(503, 'service_unavailable');
    const { requestId } = await sendMessage('work', 0);
    await waitUntil(() => agents.prompts.at(-1) === 'work');
    agents.turnUse = USE;
    agents.idleMs = 0;
    const turnId = requestId.replace('req_', 'turn_');
    const answer = await served.service.callDevice(createSessionRequest('session.cancel', { turnId }));
    expect(answer).toMatchObject({ ok: true, result: { report: { state: 'cancelled', usage: { totalTokens: 9 } } } });
    expect(hasDetails(answer)).toBe(false);
  });
});

describe('the time of the last activity', () => {
  const beginWork = async (idleMs: number | null) => {
    agents.idleMs = idleMs;
    const { requestId } = await sendMessage('work', 0);
    await waitUntil(() => getTurn(requestId)?.state === 'running');
    return requestId;
  };

  it('is reported while the agent works, without a new revision, and when it has ended', async () => {
    const requestId = await beginWork(0);
    await waitUntil(() => (getTurn(requestId)?.lastActivityAt ?? 0) > 0);
    const { revision, lastActivityAt: first = null } = getTurn(requestId)!;
    expect(Math.abs(Date.now() - first!)).toBeLessThan(5_000);
    await waitUntil(() => getTurn(requestId)!.lastActivityAt! >= first! + 1_000);
    expect(getTurn(requestId)).toMatchObject({ revision, state: 'running' });
    agents.idleMs = 0;
    endWork();
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    const { lastActivityAt, endedAt } = getTurn(requestId)!;
    expect(Math.abs(endedAt! - lastActivityAt!)).toBeLessThan(1_000);
  });

  it('is reported once while the agent is silent', async () => {
    const times: unknown[] = [];
    served.service.agents.getReportError = (_path, report) => {
      const { lastActivityAt } = report as TurnReport;
      if (lastActivityAt !== undefined) times.push(lastActivityAt);
      return undefined;
    };
    const requestId = await beginWork(0);
    const startedAt = performance.now();
    const timer = setInterval(() => (agents.idleMs = performance.now() - startedAt), 5);
    await waitUntil(() => (getTurn(requestId)?.lastActivityAt ?? 0) > 0);
    await sleep(1_500);
    clearInterval(timer);
    expect(times).toHaveLength(1);
  });

  it('is not reported of an agent that has done nothing, or to an older service', async () => {
    const silent = await beginWork(null);
    await sleep(200);
    expect(getTurn(silent)?.lastActivityAt).toBeUndefined();
    endWork();
    await waitUntil(() => getTurn(silent)?.state === 'completed');
    await reconnectWithoutDetails();
    const requestId = await beginWork(0);
    served.service.requestLines.splice(0);
    await sleep(200);
    expect(served.service.requestLines.filter((line) => line.includes(requestId))).toEqual([]);
  });
});

const hasDetails = (report: unknown): boolean =>
  /cost|context|cachedInputTokens|lastActivityAt/.test(JSON.stringify(report));
