import { buildMessageBinding, openContent } from '@external-api/protocol';
import { MemoryKeyStore } from '../index';
import type { AgentOptions } from '../sessions/agent-runtime';
import { createPermissionRequest, ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const allowMake = { decision: 'allow', command: ['make'] } as const;
const denyCommands = { decision: 'deny', kind: 'execute' } as const;

let served: ServedMachine;
let store: MemoryKeyStore;
afterEach(() => served.stop());

/** Starts a machine whose agent asks whether it may run `make`, and answers with the id of the selected option. */
async function startMachine(options: Partial<AgentOptions>) {
  const provider = new ScriptedAgents({
    ask: async (listener, signal) => {
      const request = createPermissionRequest();
      signal.addEventListener('abort', () => request.cancel());
      listener.permissionRequested(request);
      listener.messageCompleted((await request.closed)?.optionId ?? 'cancelled');
    },
  });
  store = new MemoryKeyStore();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider, ...options } });
}

async function askAgent(caller = 'pat') {
  const request = { ...createSessionRequest('session.message', { content: 'ask' }), caller };
  const answer = await served.service.callDevice(request);
  return { answer, requestId: request.requestId, localId: `${request.requestId}:p1` };
}

const getStored = (localId: string) => served.service.agents.permissionRequests.get(localId);

async function readNotices(): Promise<string[]> {
  const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
  const notices = served.service.messages.filter(({ role }) => role === 'system');
  const opened = notices.map(async ({ localId, role, content }) => {
    const place = buildMessageBinding('acc_1', served.runner.identity.sessionTag, localId, role);
    return Buffer.from((await openContent(content, dataKey!, place)).bytes).toString();
  });
  return Promise.all(opened);
}

it.each([
  { verb: 'allows', rules: [allowMake], permissions: 'reject', number: 1, state: 'allowed', optionId: 'o2' },
  {
    verb: 'rejects',
    rules: [allowMake, denyCommands],
    permissions: 'allow',
    number: 2,
    state: 'rejected',
    optionId: 'o3',
  },
] as const)('$verb a request at once, whatever the policy is, and says so', async (used) => {
  const { verb, rules, permissions, number, state, optionId } = used;
  await startMachine({ rules, permissions });
  const { answer, requestId, localId } = await askAgent();
  expect(answer).toMatchObject({ result: { reply: optionId, turn: { state: 'completed' } } });
  await waitUntil(() => getStored(localId) !== undefined);
  const decided = { state, optionId, turnLocalId: requestId, decidedAt: expect.any(Number) };
  expect(getStored(localId)).toMatchObject(decided);
  expect(await readNotices()).toEqual([`Rule ${number} of the machine ${verb}: Run make`]);
});

it('asks where the policy would allow', async () => {
  await startMachine({ rules: [{ decision: 'ask' }], permissions: 'allow' });
  const { answer, localId } = await askAgent();
  expect(answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
  expect(getStored(localId)).toMatchObject({ state: 'pending' });
});

it('leaves what no rule fits to the policy', async () => {
  await startMachine({ rules: [{ decision: 'allow', command: ['git'] }], permissions: 'reject' });
  const { answer } = await askAgent();
  expect(answer).toMatchObject({ result: { reply: 'o3' } });
  expect(await readNotices()).toEqual([]);
});

it('allows nothing to an agent that an app has prompted: it asks', async () => {
  await startMachine({ rules: [allowMake], permissions: 'reject' });
  const { answer } = await askAgent('app');
  expect(answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
});
