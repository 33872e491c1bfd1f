import type { TurnReport } from '@external-api/protocol';
import { UnreachableError } from '../client-errors';
import { MemoryKeyStore } from '../index';
import { AGENT_CAPABILITIES, CapabilityNegotiation } from '../machine/capability-negotiation';
import type { SignedInDevice } from '../signed-in-device';
import { FakeServiceError } from '../testing/fake-accounts';
import { createPermissionRequest, ScriptedAgents } from '../testing/scripted-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { StateReporter } from './state-reporter';

let served: ServedMachine;
let store: MemoryKeyStore;
let request: ReturnType<typeof createPermissionRequest>;

beforeEach(async () => {
  request = createPermissionRequest();
  const provider = new ScriptedAgents({
    work: () => new Promise(() => undefined),
    ask: async (listener) => {
      listener.permissionRequested(request);
      await request.closed;
    },
  });
  store = new MemoryKeyStore();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider } });
});
afterEach(() => served.stop());

const createRequest = (content: string) => createSessionRequest('session.message', { content, waitMs: 0 });
const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);
const countReports = (requestId: string) =>
  served.service.requestLines.filter((line) => line.startsWith('PUT') && line.endsWith(`/turns/${requestId}`)).length;
const unavailable = new FakeServiceError(503, 'service_unavailable');

async function isSettled(requestId: string): Promise<boolean> {
  const entries = await store.openTurnJournal().loadEntries();
  return entries.some((entry) => entry.requestId === requestId && entry.isSettled);
}

async function waitUntilSettled(requestId: string): Promise<void> {
  let settled = false;
  await waitUntil(() => {
    void isSettled(requestId).then((current) => (settled = current));
    return settled;
  });
}

async function reconnect(): Promise<void> {
  const count = served.countEvents('connected');
  served.service.sockets.at(-1)?.disconnect(true);
  await waitUntil(() => served.connectedSockets === 1 && served.countEvents('connected') === count + 1);
}

describe('a report that the service fails to store', () => {
  it('does not delay those of other turns', async () => {
    const failing = createMessageRequest('one');
    served.service.agents.getReportError = (path, report) =>
      path.endsWith(failing.requestId) && (report as { state: string }).state !== 'queued' ? unavailable : undefined;
    await served.service.callDevice(failing);
    const other = createMessageRequest('two');
    await served.service.callDevice(other);
    await waitUntil(() => getTurn(other.requestId)?.state === 'completed');
    expect(getTurn(failing.requestId)?.state).toBe('queued');
    served.service.agents.getReportError = undefined;
    await waitUntil(() => getTurn(failing.requestId)?.state === 'completed');
  });

  it('delays the permission requests of its turn, which are not accepted before it', async () => {
    served.service.agents.getReportError = (path) => (path.includes('/turns/') ? unavailable : undefined);
    const asking = createRequest('ask');
    await served.service.callDevice(asking);
    await waitUntil(() => countReports(asking.requestId) > 3);
    expect(request.outcomes).toEqual([]);
    served.service.agents.getReportError = undefined;
    await waitUntil(() => served.service.agents.permissionRequests.size === 1);
    expect(request.outcomes).toEqual([]);
    request.cancel();
  });
});

describe('each state of a turn', () => {
  const sentStates: string[] = [];
  beforeEach(() => {
    sentStates.splice(0);
    served.service.agents.getReportError = (path, report) => {
      const { revision, state } = report as TurnReport;
      if (path.includes('/turns/')) sentStates.push(`${revision} ${state}`);
      return undefined;
    };
  });

  /** Returns what was sent, without the first report, which a turn has that is slow to begin. */
  const getLaterStates = () => (sentStates[0] === '1 queued' ? sentStates.slice(1) : sentStates);

  it('is sent once, also if the messages of the turn announce it at the same time', async () => {
    const message = createMessageRequest('hello');
    await served.service.callDevice(message);
    await waitUntilSettled(message.requestId);
    expect(getLaterStates()).toEqual(['2 running', '3 completed']);
  });

  it('is sent once, with the first report, of a turn that waits for another one', async () => {
    await served.service.callDevice(createRequest('work'));
    const waiting = createRequest('hello');
    await served.service.callDevice(waiting);
    await waitUntil(() => getTurn(waiting.requestId)?.state === 'queued');
    expect(countReports(waiting.requestId)).toBe(1);
  });

  it('is sent once, also if the service stores the start of the turn only after the agent has asked', async () => {
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const asking = createMessageRequest('ask');
    served.service.delayRequest = () => (countReports(asking.requestId) > 0 ? blocked : undefined);
    expect(await served.service.callDevice(asking)).toMatchObject({ result: { turn: { state: 'requires_action' } } });
    release();
    await waitUntil(() => getTurn(asking.requestId)?.state === 'requires_action');
    expect(sentStates.filter((sent) => sent !== '1 queued')).toEqual(['2 running', '3 requires_action']);
    request.cancel();
  });
});

describe('the end of a turn', () => {
  it.each([
    [404, 'not_found'],
    [403, 'forbidden'],
    [409, 'conflict'],
  ])('is settled and not repeated when the service rejects it with %i', async (status, code) => {
    const rejected = createMessageRequest('hello');
    served.service.agents.getReportError = (_path, report) =>
      (report as { state: string }).state === 'queued' ? undefined : new FakeServiceError(status, code);
    await served.service.callDevice(rejected);
    await waitUntilSettled(rejected.requestId);
    const count = countReports(rejected.requestId);
    await reconnect();
    await served.service.callDevice(createMessageRequest('after'));
    expect(countReports(rejected.requestId)).toBe(count);
  });

  it('is forgotten when its call can not come again, but not before the service has stored it', async () => {
    const failing = createRequest('one');
    served.service.agents.getReportError = (path, report) =>
      path.endsWith(failing.requestId) && (report as TurnReport).endedAt !== null ? unavailable : undefined;
    await served.service.callDevice(failing);
    const stored = createRequest('two');
    await served.service.callDevice(stored);
    await waitUntilSettled(stored.requestId);
    served.service.clockAheadMs = 120_000;
    await reconnect();
    const next = createRequest('three');
    const answer = await served.service.callDevice({ ...next, deadline: next.deadline + 120_000 });
    expect(answer).toMatchObject({ ok: true });
    const entries = await store.openTurnJournal().loadEntries();
    expect(entries.map(({ requestId }) => requestId)).toEqual([failing.requestId, next.requestId]);
  });

  it('is settled without a report if the service has never stored turns', async () => {
    served.service.acceptedCapabilities = undefined;
    await reconnect();
    const message = createMessageRequest('hello');
    await served.service.callDevice(message);
    await waitUntilSettled(message.requestId);
    expect(countReports(message.requestId)).toBe(0);
  });

  it('waits for a service that stores turns if that knows the turn', async () => {
    const running = createRequest('work');
    await served.service.callDevice(running);
    await waitUntil(() => getTurn(running.requestId)?.state === 'running');
    const { acceptedCapabilities } = served.service;
    served.service.acceptedCapabilities = undefined;
    await reconnect();
    await served.service.callDevice(
      createSessionRequest('session.cancel', { turnId: running.requestId.replace('req_', 'turn_') }),
    );
    expect(await isSettled(running.requestId)).toBe(false);
    served.service.acceptedCapabilities = acceptedCapabilities;
    await reconnect();
    await waitUntil(() => getTurn(running.requestId)?.state === 'cancelled');
    await waitUntilSettled(running.requestId);
  });
});

describe('an open turn', () => {
  it('is reported again once after the service has called it lost, and not at other connections', async () => {
    const running = createRequest('work');
    const queued = createRequest('queued');
    for (const each of [running, queued]) await served.service.callDevice(each);
    await waitUntil(() => getTurn(running.requestId)?.state === 'running');
    await waitUntil(() => getTurn(queued.requestId)?.state === 'queued');
    const { revision } = getTurn(running.requestId)!;
    await reconnect();
    for (const { requestId } of [running, queued]) Object.assign(getTurn(requestId)!, { state: 'lost' });
    await reconnect();
    await waitUntil(() => getTurn(running.requestId)?.state === 'running');
    await waitUntil(() => getTurn(queued.requestId)?.state === 'queued');
    await reconnect();
    await served.service.callDevice(createRequest('after'));
    expect(getTurn(running.requestId)?.revision).toBe(revision + 1);
  });

  it('is reported as failed if it is lost and this device does not know it', async () => {
    const message = createMessageRequest('hello');
    await served.service.callDevice(message);
    await waitUntil(() => getTurn(message.requestId)?.state === 'completed');
    // As if the clock of the service had been set back since. No turn ends before its start.
    const startedAt = Date.now() + 3_600_000;
    const lost = { localId: 'req_unknown', state: 'lost' as never, revision: 5, startedAt };
    const unknown = { ...getTurn(message.requestId)!, ...lost };
    served.service.agents.turns.set('req_unknown', unknown);
    await served.runner.stop();
    served.runner = await served.machine.startServing();
    await waitUntil(() => getTurn('req_unknown')?.state === 'failed');
    expect(getTurn('req_unknown')).toMatchObject({ errorCode: 'agent_lost', startedAt, endedAt: startedAt });
  });
});

it('a state is sent as soon as a connection opens after the service could not be reached', async () => {
  const capabilities = new CapabilityNegotiation(AGENT_CAPABILITIES);
  const hello = { serverTime: 0, deviceId: 'dev_1', capabilities: [...AGENT_CAPABILITIES] };
  capabilities.applyHello(hello);
  let isReachable = false;
  const device = {
    callApi: () => (isReachable ? Promise.resolve() : Promise.reject(new UnreachableError('It is away.'))),
  } as unknown as SignedInDevice;
  const problems: string[] = [];
  const onProblem = (problem: string) => problems.push(problem);
  const backoff = { baseMs: 60_000, maxMs: 60_000 };
  const reporter = new StateReporter({ device, capabilities, backoff, onProblem });
  const stored = reporter.reportState('/v1/sessions/ses_1/turns/req_1', {});
  await waitUntil(() => problems.length === 1);
  isReachable = true;
  capabilities.applyHello(hello);
  expect(await stored).toBe(true);
  await reporter.close();
});
