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

describe('why an agent failed', () => {
  const getProblem = () =>
    served.events.flatMap((event) => (event.event === 'agent' ? [event.problem] : [])).join('\n');

  it('is in the history and on the terminal, with the text of its error', async () => {
    const { turn, messages } = await runTurn('say half\nfail-inside -32603 prompt is too long');
    expect(turn).toMatchObject({ state: 'failed', errorCode: 'agent_error' });
    const text = 'The agent answered with error -32603.\nIt said: Internal error\nprompt is too long';
    expect(messages.slice(1)).toEqual([
      { role: 'assistant', text: 'half' },
      { role: 'system', text: `The agent failed: ${text}` },
    ]);
    expect(getProblem()).toContain('failed: The agent answered with error -32603. | It said: Internal error | prompt');
  }, 60_000);

  it('is told by its last lines if it exits, with escapes and without the lines before them', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `errors line ${index}`).join('\n');
    const { turn, messages } = await runTurn(`${lines}\nerrors \u001b[31mMODEL_KEY is not set\ncrash`);
    expect(turn).toMatchObject({ state: 'failed', errorCode: 'agent_lost' });
    const { role, text } = messages.at(-1)!;
    expect([role, text.split('\n').length]).toEqual(['system', 22]);
    expect(text).toMatch(
      /^The agent failed: The agent ended \(status 3\)\.\nThe last lines of its standard error:\nline 11\n/,
    );
    expect(text).toMatch(/\nline 29\n\\u\{1b\}\[31mMODEL_KEY is not set$/);
    expect(getProblem()).toContain('MODEL_KEY is not set');
  }, 60_000);

  it('is that it must be signed in, also if it finds out during a prompt', async () => {
    const { turn, messages } = await runTurn('fail -32603 Incorrect API key provided');
    expect(turn).toMatchObject({ state: 'failed', errorCode: 'agent_auth_required' });
    expect(messages.at(-1)!.text).toContain('It said: Incorrect API key provided');
  }, 60_000);
});
