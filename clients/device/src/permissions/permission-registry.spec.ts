import { generateDataKey } from '@external-api/protocol';
import { CapabilityNegotiation, AGENT_CAPABILITIES } from '../machine/capability-negotiation';
import { ServerClock } from '../machine/server-clock';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import { RuleSet } from '../rules/rule-set';
import type { SignedInDevice } from '../signed-in-device';
import { createPermissionRequest } from '../testing/scripted-agents';
import type { StateReporter } from '../turns/state-reporter';
import { Turn } from '../turns/turn';
import { createFirstTurnReport } from '../history/turn-announcer';
import { generateDeviceKeys, toPublicKey } from '../keys';
import { PermissionRegistry } from './permission-registry';

const capabilities = new CapabilityNegotiation(AGENT_CAPABILITIES);
const reports: object[] = [];
const reporter = {
  reportState: (_path: string, body: object) => Promise.resolve(reports.push(body) > 0),
} as unknown as StateReporter;
const device = {} as SignedInDevice;
const addNotice = (): void => undefined;

const createRegistry = (timeoutMs: number, negotiation = capabilities) =>
  new PermissionRegistry({
    policy: undefined,
    rules: new RuleSet([]),
    timeoutMs,
    device,
    capabilities: negotiation,
    reporter,
    clock: new ServerClock(),
    onProblem: () => undefined,
  });

const createTurn = () =>
  new Turn(
    {
      requestId: 'req_1',
      sessionId: 'ses_1',
      caller: 'pat',
      prompt: '',
      deadline: 0,
      createdAt: 0,
      isPrompted: true,
      isSettled: false,
      report: createFirstTurnReport(),
    },
    () => Promise.resolve(),
    () => undefined,
  );

async function createSession(): Promise<HostedAgentSession> {
  const dataKey = await generateDataKey(toPublicKey(generateDeviceKeys().encryption));
  return { hosted: { accountId: 'acc_1', id: 'ses_1', tag: 'tag', dataKey } } as unknown as HostedAgentSession;
}

beforeEach(() => void reports.splice(0));

it('rejects a request that expires before the first connection', async () => {
  const request = createPermissionRequest();
  await createRegistry(50, new CapabilityNegotiation(AGENT_CAPABILITIES)).openRequest(
    request,
    createTurn(),
    await createSession(),
    addNotice,
  );
  expect(request.outcomes).toMatchObject([{ optionId: 'o3' }]);
});

it('counts the time before the first connection', async () => {
  const negotiation = new CapabilityNegotiation(AGENT_CAPABILITIES);
  const request = createPermissionRequest();
  const session = await createSession();
  const opened = createRegistry(60_000, negotiation).openRequest(request, createTurn(), session, addNotice);
  const openedAt = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 100));
  negotiation.applyHello({ serverTime: 0, deviceId: 'dev_1', capabilities: [...AGENT_CAPABILITIES] });
  await opened;
  expect(reports).toMatchObject([{ state: 'pending' }]);
  expect((reports[0] as { expiresAt: number }).expiresAt).toBeLessThan(openedAt + 60_100);
  request.cancel();
});

it('cancels a request that the agent makes while its turn ends, and never reports it', async () => {
  const negotiation = new CapabilityNegotiation(AGENT_CAPABILITIES);
  const registry = createRegistry(60_000, negotiation);
  const request = createPermissionRequest();
  const turn = createTurn();
  const opened = registry.openRequest(request, turn, await createSession(), addNotice);
  registry.cancelRequestsOfTurn(turn);
  negotiation.applyHello({ serverTime: 0, deviceId: 'dev_1', capabilities: [...AGENT_CAPABILITIES] });
  await opened;
  expect(request.outcomes).toEqual([null]);
  expect(reports).toEqual([]);
});
