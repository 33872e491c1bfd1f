import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { itWith } from '../../../../test/support/dependencies';

const folder = mkdtempSync(join(tmpdir(), 'agent-'));
let served: ServedMachine;

beforeAll(() => buildTestAgent(), 120_000);
beforeEach(async () => {
  const agents = { commands: [createTestAgentCommand()], provider: new AgentProcessPool() };
  served = await ServedMachine.start({ cwd: folder, agents });
});
afterEach(() => served.stop());
afterAll(() => rmSync(folder, { recursive: true }));

const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);

it('answers with what a real agent says and does, over the Agent Client Protocol', async () => {
  const request = createMessageRequest('say Hello.\ntool output');
  expect(await served.service.callDevice(request)).toMatchObject({
    ok: true,
    result: { reply: 'Hello.', turn: { state: 'completed', stopReason: 'end_turn' } },
  });
  await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
  expect(served.service.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
}, 30_000);

it('lets a real agent edit a file only after the decision', async () => {
  const request = createMessageRequest('edit new.txt approved');
  expect(await served.service.callDevice(request)).toMatchObject({
    result: { turn: { state: 'requires_action' } },
  });
  const localId = `${request.requestId}:p1`;
  const { content, options } = served.service.agents.permissionRequests.get(localId)!;
  const contentHash = createHash('sha256').update(content).digest('base64url');
  const optionId = options.find(({ kind }) => kind === 'allow_once')!.optionId;
  expect(() => readFileSync(join(folder, 'new.txt'))).toThrow('ENOENT');
  const decision = createSessionRequest('session.permission', { localId, optionId, contentHash });
  expect(await served.service.callDevice(decision)).toMatchObject({ ok: true, result: { state: 'allowed' } });
  await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
  expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toContain('approved');
}, 30_000);

const itWithGit = itWith('git');
itWithGit(
  'stores the changes of a Git work tree as an artifact, before the end of the turn is reported',
  async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    await served.stop();
    const agents = {
      commands: [createTestAgentCommand()],
      provider: new AgentProcessPool(),
      permissions: 'allow' as const,
    };
    served = await ServedMachine.start({ cwd: folder, agents });
    const request = createMessageRequest('edit changed.txt text');
    await served.service.callDevice(request);
    await waitUntil(() => getTurn(request.requestId)?.state === 'completed');
    expect(served.service.artifacts).toMatchObject([
      {
        tag: `ses_1/${request.requestId.replace('req_', 'turn_')}.patch`,
        sessionId: 'ses_1',
        mediaType: 'text/x-diff',
      },
    ]);
    await served.service.callDevice(createMessageRequest('say Nothing changed.'));
    expect(served.service.artifacts).toHaveLength(1);
  },
  30_000,
);

it('fails the turn of an agent that crashes, and starts it anew for the next one', async () => {
  expect(await served.service.callDevice(createMessageRequest('crash'))).toMatchObject({
    result: { turn: { state: 'failed' } },
  });
  expect(await served.service.callDevice(createMessageRequest('say Back.'))).toMatchObject({
    result: { reply: 'Back.', turn: { state: 'completed' } },
  });
}, 30_000);
