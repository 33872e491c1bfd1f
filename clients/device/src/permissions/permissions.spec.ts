import { compactDecrypt } from 'jose';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryKeyStore } from '../index';
import type { AgentOptions } from '../sessions/agent-runtime';
import { FakeServiceError } from '../testing/fake-accounts';
import { createPermissionRequest, ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
let store: MemoryKeyStore;
let requests: ReturnType<typeof createPermissionRequest>[];
const STORE_ROUTE = /^PUT .*\/permission-requests\//;

async function startMachine(options: Partial<AgentOptions> = {}, { requestCount = 1, change = {} } = {}) {
  requests = Array.from({ length: requestCount }, (_, index) =>
    createPermissionRequest({ id: `p${index}`, ...change }),
  );
  const provider = new ScriptedAgents({
    ask: async (listener, signal) => {
      signal.addEventListener('abort', () => requests.forEach((request) => request.cancel()));
      requests.forEach((request) => listener.permissionRequested(request));
      const outcomes = await Promise.all(requests.map(({ closed }) => closed));
      listener.messageCompleted(outcomes.map((outcome) => outcome?.optionId ?? 'cancelled').join());
    },
  });
  store = new MemoryKeyStore();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider, ...options } });
}
afterEach(() => served.stop());

const getStored = (localId: string) => served.service.agents.permissionRequests.get(localId);
const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);

/** Sends a message of which the agent asks. */
async function askAgent(caller?: string) {
  const request = { ...createSessionRequest('session.message', { content: 'ask' }), caller };
  const answer = await served.service.callDevice(request);
  return { requestId: request.requestId, localId: `${request.requestId}:p1`, answer };
}

const decide = (localId: string, optionId: string, change: object = {}, deadline = Date.now() + 8_000) =>
  served.service.callDevice({
    ...createSessionRequest('session.permission', {
      localId,
      optionId,
      contentHash: createHash('sha256').update(getStored(localId)!.content).digest('base64url'),
      ...change,
    }),
    deadline,
  });

describe('a permission request', () => {
  it('answers the message with requires_action, and the decision lets the agent go on', async () => {
    await startMachine();
    const { requestId, localId, answer } = await askAgent('pat');
    expect(answer).toMatchObject({ ok: true, result: { reply: null, turn: { state: 'requires_action' } } });
    // Already stored when the caller has the answer.
    expect(getStored(localId)).toMatchObject({
      revision: 1,
      state: 'pending',
      turnLocalId: requestId,
      kind: 'execute',
    });
    await waitUntil(() => getTurn(requestId)?.pendingPermissions === 1);
    expect(await decide(localId, 'o2')).toEqual({ ok: true, result: { state: 'allowed', optionId: 'o2' } });
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    expect(getStored(localId)).toMatchObject({ state: 'allowed', optionId: 'o2', decidedAt: expect.any(Number) });
    expect(getTurn(requestId)?.pendingPermissions).toBe(0);
    expect(requests[0]?.outcomes).toMatchObject([{ optionId: 'o2' }]);
  });

  it('is encrypted, bound to its place, and shows what the person decides about', async () => {
    await startMachine({}, { change: { diff: '--- a\n+++ b\n' } });
    const { localId } = await askAgent('pat');
    const { content, options } = getStored(localId)!;
    const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
    const { plaintext, protectedHeader } = await compactDecrypt(content, Buffer.from(dataKey!.k, 'base64url'));
    expect(protectedHeader.svc).toEqual({ a: 'acc_1', s: served.runner.identity.sessionTag, p: localId });
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual({
      title: 'Run make',
      tool: 'execute',
      input: { command: 'make' },
      options: requests[0]?.options,
      diff: '--- a\n+++ b\n',
    });
    expect(options).toEqual([
      { optionId: 'o1', kind: 'allow_always' },
      { optionId: 'o2', kind: 'allow_once' },
      { optionId: 'o3', kind: 'reject_once' },
    ]);
    expect(content).not.toContain('make');
  });

  it('is truncated to what the service stores', async () => {
    await startMachine({}, { change: { input: { text: '"'.repeat(16_000) }, diff: '\n'.repeat(16_384) } });
    const { localId } = await askAgent('pat');
    expect(getStored(localId)!.content.length).toBeLessThanOrEqual(65_536);
  });

  it('is stored before its turn requires an action, also by a slow service', async () => {
    await startMachine();
    served.service.delayRequest = (route) => (STORE_ROUTE.test(route) ? sleep(1_500) : undefined);
    const { localId, answer } = await askAgent('pat');
    expect(answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
    expect(getStored(localId)?.state).toBe('pending');
  });

  it('stays open if the machine connects again before the service has stored it, and after', async () => {
    await startMachine();
    let isAway = true;
    served.service.getRequestError = (route) =>
      isAway && STORE_ROUTE.test(route) ? new FakeServiceError(503, 'service_unavailable') : undefined;
    const { requestId, localId, answer } = await askAgent('pat');
    expect(answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
    served.service.requestLines.splice(0);
    // The machine cancels the pending requests of an earlier run before it asks for these turns.
    const countAsked = () => served.service.requestLines.filter((line) => /turns\?state=requires_a/.test(line)).length;
    served.service.sockets.at(-1)!.disconnect(true);
    await waitUntil(() => served.countEvents('connected') === 2 && countAsked() === 1);
    expect(requests[0]?.outcomes).toEqual([]);
    isAway = false;
    await waitUntil(() => getStored(localId)?.state === 'pending');
    served.service.sockets.at(-1)!.disconnect(true);
    await waitUntil(() => served.countEvents('connected') === 3 && countAsked() === 2);
    expect(getStored(localId)?.state).toBe('pending');
    expect(await decide(localId, 'o2')).toMatchObject({ ok: true });
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
  });

  it('is decided once', async () => {
    await startMachine();
    const { localId } = await askAgent('pat');
    const answers = await Promise.all([decide(localId, 'o3'), decide(localId, 'o2')]);
    expect(answers).toMatchObject([
      { ok: true, result: { state: 'rejected', optionId: 'o3' } },
      { ok: false, error: { code: 'permission_not_pending' } },
    ]);
    expect(requests[0]?.outcomes).toMatchObject([{ optionId: 'o3' }]);
  });

  it.each([
    ['about other content', { contentHash: 'x' }, 'conflict'],
    ['without such an option', { optionId: 'o9' }, 'conflict'],
    ['about an unknown request', { localId: 'unknown' }, 'permission_not_pending'],
  ])('ignores a decision %s', async (_, change, code) => {
    await startMachine();
    const { localId } = await askAgent('pat');
    expect(await decide(localId, 'o2', change)).toMatchObject({ ok: false, error: { code } });
    expect(requests[0]?.outcomes).toEqual([]);
  });

  it('of another session cannot be decided', async () => {
    await startMachine();
    const { localId } = await askAgent('pat');
    const contentHash = createHash('sha256').update(getStored(localId)!.content).digest('base64url');
    const decision = createSessionRequest('session.permission', { localId, optionId: 'o2', contentHash });
    expect(await served.service.callDevice({ ...decision, sessionId: 'ses_2' })).toMatchObject({
      error: { code: 'permission_not_pending' },
    });
    expect(requests[0]?.outcomes).toEqual([]);
  });

  it('is rejected when nobody decides in time, and never executed later', async () => {
    await startMachine({ permissionTimeoutMs: 150 });
    const { requestId, localId } = await askAgent('pat');
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    expect(requests[0]?.outcomes).toMatchObject([{ optionId: 'o3' }]);
    expect(getStored(localId)).toMatchObject({ state: 'expired', optionId: null });
    expect(await decide(localId, 'o2')).toMatchObject({ ok: false, error: { code: 'permission_not_pending' } });
  });

  it('expires by the clock, also if the timer is late because the computer slept', async () => {
    await startMachine({ permissionTimeoutMs: 60_000 });
    const { requestId, localId } = await askAgent('pat');
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
    const decision = decide(localId, 'o2', {}, now + 70_000);
    expect(await decision).toMatchObject({ ok: false, error: { code: 'permission_not_pending' } });
    clock.mockRestore();
    expect(requests[0]?.outcomes).toMatchObject([{ optionId: 'o3' }]);
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    expect(getStored(localId)).toMatchObject({ state: 'expired' });
  });

  it('expires after the computer slept, without a decision', async () => {
    await startMachine({ permissionTimeoutMs: 60_000 });
    const { localId } = await askAgent('pat');
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
    await waitUntil(() => (requests[0]?.outcomes.length ?? 0) > 0).finally(() => clock.mockRestore());
    expect(requests[0]?.outcomes).toMatchObject([{ optionId: 'o3' }]);
    await waitUntil(() => getStored(localId)?.state === 'expired');
  });

  it("does not expire early because this computer's clock is set ahead", async () => {
    await startMachine({ permissionTimeoutMs: 60_000 });
    const { requestId, localId } = await askAgent('pat');
    const getServiceTime = Date.now;
    // For now, the device can't get the service's time again.
    served.service.clockAheadMs = NaN;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => getServiceTime() + 3_600_000);
    try {
      await waitUntil(() => served.countEvents('waiting') > 12, 20_000);
      expect(requests[0]?.outcomes).toEqual([]);
      served.service.clockAheadMs = -3_600_000;
      await waitUntil(() => served.countEvents('connected') === 2);
      const decision = decide(localId, 'o2', {}, getServiceTime() + 8_000);
      expect(await decision).toMatchObject({ ok: true, result: { state: 'allowed' } });
    } finally {
      clock.mockRestore();
    }
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
  }, 30_000);

  it('is rejected when the service refuses to store it later than the turn requires action', async () => {
    await startMachine();
    served.service.delayRequest = (route) => (route.includes('permission-requests') ? sleep(5_500) : undefined);
    served.service.agents.getReportError = (path) =>
      path.includes('permission-requests') ? new FakeServiceError(403, 'plan_limit_exceeded') : undefined;
    const { requestId, answer } = await askAgent('pat');
    expect(answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    expect(requests[0]?.outcomes).toMatchObject([{ optionId: 'o3' }]);
  });

  it('is cancelled with its turn', async () => {
    await startMachine();
    const { requestId, localId } = await askAgent('pat');
    const turnId = requestId.replace('req_', 'turn_');
    expect(await served.service.callDevice(createSessionRequest('session.cancel', { turnId }))).toMatchObject({
      result: { state: 'cancelled' },
    });
    await waitUntil(() => getStored(localId)?.state === 'cancelled');
    expect(requests[0]?.outcomes).toEqual([null]);
    expect(await decide(localId, 'o2')).toMatchObject({ ok: false, error: { code: 'permission_not_pending' } });
  });

  it('is rejected beyond 32 pending ones of the session', async () => {
    await startMachine({}, { requestCount: 34 });
    await askAgent('pat');
    await waitUntil(() => requests.filter(({ outcomes }) => outcomes.length > 0).length === 2);
    await waitUntil(() => served.service.agents.permissionRequests.size === 32);
    expect(requests.flatMap(({ outcomes }) => outcomes)).toMatchObject([{ optionId: 'o3' }, { optionId: 'o3' }]);
  });

  it('is rejected when the service refuses to store it', async () => {
    await startMachine();
    served.service.agents.getReportError = (path) =>
      path.includes('permission-requests') ? new FakeServiceError(403, 'plan_limit_exceeded') : undefined;
    const { answer } = await askAgent('pat');
    expect(answer).toMatchObject({ ok: true, result: { reply: 'o3' } });
  });
});

describe('the policy', () => {
  it('allows once, in the order of the agent', async () => {
    await startMachine({ permissions: 'allow' });
    expect((await askAgent('pat')).answer).toMatchObject({ result: { reply: 'o2', turn: { state: 'completed' } } });
    expect(served.service.agents.permissionRequests.size).toBe(0);
  });

  it.each(['app', undefined])('asks instead of allowing when the caller is %s', async (caller) => {
    await startMachine({ permissions: 'allow' });
    expect((await askAgent(caller)).answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
  });

  it('asks from then on in the session that an app has prompted, also after a restart', async () => {
    await startMachine({ permissions: 'allow' });
    const { localId } = await askAgent('app');
    await decide(localId, 'o3');
    requests = [createPermissionRequest({ id: 'p0' })];
    expect((await askAgent('pat')).answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
    const { agentSessions } = (await store.loadState('machine'))!;
    expect(Object.values(agentSessions!)).toMatchObject([{ hasUntrustedPrompt: true }]);
  });

  it('rejects, without asking', async () => {
    await startMachine({ permissions: 'reject' });
    expect((await askAgent('pat')).answer).toMatchObject({ result: { reply: 'o3' } });
    expect(served.service.agents.permissionRequests.size).toBe(0);
  });

  it('rejects by default where the service cannot pass on decisions', async () => {
    await startMachine();
    served.service.acceptedCapabilities = ['session.message', 'session.cancel'];
    served.service.sockets[0]?.disconnect(true);
    await waitUntil(() => served.connectedSockets === 1 && served.countEvents('connected') === 2);
    expect((await askAgent('pat')).answer).toMatchObject({ result: { reply: 'o3' } });
    await sleep(50);
    expect(served.service.agents.permissionRequests.size).toBe(0);
  });

  it('cancels where the agent offers no rejection of this request only', async () => {
    const options = [{ optionId: 'o1', name: 'Always', kind: 'allow_always' as const }];
    await startMachine({ permissions: 'reject' }, { change: { options } });
    expect((await askAgent('pat')).answer).toMatchObject({ result: { reply: 'cancelled' } });
  });
});
