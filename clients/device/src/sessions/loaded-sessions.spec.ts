import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_AGENT_LIMITS } from '../agent/agent-limits';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { FakeServiceError } from '../testing/fake-accounts';
import { createMessageRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let folder: string;
let loadErrorFile: string;
let provider: AgentProcessPool;
let served: ServedMachine;

beforeAll(() => buildTestAgent(), 120_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loaded-sessions-'));
  loadErrorFile = join(folder, 'load-error.json');
  Object.assign(process.env, { TEST_AGENT_FOLDER: folder, TEST_AGENT_OPTIONS: '' });
  provider = new AgentProcessPool({ limits: { ...DEFAULT_AGENT_LIMITS, freshSessionMs: 4_000 } });
  const agents = { commands: [createTestAgentCommand()], provider };
  served = await ServedMachine.start({ cwd: folder, agents });
  await sendMessage('say one');
  await provider.stopSession('ses_1');
});
afterEach(async () => {
  await served.stop();
  delete process.env.TEST_AGENT_FOLDER;
  rmSync(folder, { recursive: true });
});

/** Returns the turn of the message as the service has stored its end, and the reply. */
async function sendMessage(text: string) {
  const request = createMessageRequest(text);
  const answer = await served.service.callDevice(request);
  const { turns } = served.service.agents;
  await waitUntil(() => ['completed', 'failed'].includes(turns.get(request.requestId)?.state ?? ''));
  const roles = served.service.messages
    .filter(({ localId }) => localId.startsWith(`${request.requestId}:`))
    .map(({ role }) => role);
  return {
    ...turns.get(request.requestId)!,
    reply: 'result' in answer ? answer.result.reply : undefined,
    roles,
  };
}

it('keeps a conversation that the agent refuses to load five times', async () => {
  writeFileSync(loadErrorFile, JSON.stringify({ code: -32600, message: 'thread_active_writer' }));
  for (let attempt = 0; attempt < 5; attempt++) {
    const turn = await sendMessage('say lost');
    expect(turn).toMatchObject({ state: 'failed', errorCode: 'agent_session_unavailable' });
    expect(turn.roles).toEqual(['user', 'system']);
  }
  rmSync(loadErrorFile);
  expect(await sendMessage('memory')).toMatchObject({
    state: 'completed',
    reply: 'say one',
    roles: ['user', 'assistant'],
  });
}, 60_000);

it('keeps a conversation of an agent that loses one which it loads too early', async () => {
  process.env.TEST_AGENT_OPTIONS = 'fresh-loss,no-modes';
  for (let attempt = 0; attempt < 2; attempt++) {
    const turn = await sendMessage('memory');
    expect(turn).toMatchObject({ state: 'completed', reply: expect.stringContaining('say one') });
    await provider.stopSession('ses_1');
  }
}, 60_000);

it('keeps a conversation whose agent dies three times while it loads', async () => {
  writeFileSync(loadErrorFile, JSON.stringify({ exitCode: 9 }));
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await sendMessage('say lost')).toMatchObject({ state: 'failed', errorCode: 'agent_lost' });
  rmSync(loadErrorFile);
  expect(await sendMessage('memory')).toMatchObject({ state: 'completed', reply: 'say one' });
}, 60_000);

it('begins a conversation anew that the agent no longer knows, and says so', async () => {
  writeFileSync(loadErrorFile, JSON.stringify({ code: -32603, message: 'Internal error', data: 'Session not found' }));
  expect(await sendMessage('memory')).toMatchObject({ reply: 'nothing', roles: ['user', 'system', 'assistant'] });
  expect(existsSync(loadErrorFile)).toBe(true);
  expect(await sendMessage('memory')).toMatchObject({ reply: 'memory', roles: ['user', 'assistant'] });
}, 60_000);

it('reports a code that an older service knows', async () => {
  writeFileSync(loadErrorFile, JSON.stringify({ code: -32603, message: 'The database is locked.' }));
  served.service.agents.getReportError = (_path, report) =>
    (report as { errorCode: string }).errorCode === 'agent_session_unavailable'
      ? new FakeServiceError(400, 'invalid_request')
      : undefined;
  expect(await sendMessage('say lost')).toMatchObject({ state: 'failed', errorCode: 'agent_error' });
}, 60_000);

it.each([
  ['around the load', '', 'wait 500\nsay new'],
  ['during the next turn', 'late-replay', 'wait 1500\nsay new'],
])(
  'keeps what the agent repeats %s out of the turn',
  async (_, options, prompt) => {
    process.env.TEST_AGENT_OPTIONS = options;
    expect(await sendMessage(prompt)).toMatchObject({ state: 'completed', reply: 'new', roles: ['user', 'assistant'] });
  },
  60_000,
);
