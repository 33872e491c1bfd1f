import { buildMessageBinding, openContent } from '@external-api/protocol';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { MemoryKeyStore } from '../index';
import { createMessageRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let store: MemoryKeyStore;
let served: ServedMachine;

beforeAll(() => buildTestAgent(), 120_000);
beforeEach(async () => {
  store = new MemoryKeyStore();
  const agents = { commands: [createTestAgentCommand()], provider: new AgentProcessPool() };
  served = await ServedMachine.start({ store, agents });
});
afterEach(() => served.stop());

/** Sends a message, and returns its turn's last report and messages when it has ended. */
async function runTurn(content: string) {
  const request = createMessageRequest(content);
  await served.service.callDevice(request);
  const getTurn = () => served.service.agents.turns.get(request.requestId);
  await waitUntil(() => getTurn()?.endedAt !== null);
  const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
  const messages = served.service.messages.filter(({ turnLocalId }) => turnLocalId === request.requestId);
  const opened = messages.map(async ({ localId, role, content: sealed }) => {
    const place = buildMessageBinding('acc_1', served.runner.identity.sessionTag, localId, role);
    const { bytes } = await openContent(sealed, dataKey!, place);
    return { role, text: Buffer.from(bytes).toString() };
  });
  return { turn: getTurn()!, messages: await Promise.all(opened) };
}

it('names a message of the agent that is too long, and goes on', async () => {
  const { turn, messages } = await runTurn('say before\nflood 34000000\nsay after');
  expect(turn).toMatchObject({ state: 'completed' });
  expect(messages.slice(1)).toEqual([
    { role: 'system', text: 'A message of the agent is missing here: it had 34013184 bytes, and may have 33554432.' },
    { role: 'assistant', text: 'beforeafter' },
  ]);
}, 60_000);

it('has what a terminal of the agent shows, and the exit code', async () => {
  const { messages } = await runTurn('terminal-tool 3 größer 😀');
  expect(messages.slice(1).map(({ role, text }) => [role, JSON.parse(text)])).toEqual([
    ['tool', expect.objectContaining({ status: 'failed', output: 'größer 😀', exitCode: 3 })],
  ]);
}, 60_000);
