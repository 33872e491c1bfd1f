import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { DEFAULT_AGENT_LIMITS } from '../agent/agent-limits';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { isRunning } from '../exec/process-identity';
import { MemoryKeyStore } from '../index';
import {
  createMessageRequest,
  createSessionRequest,
  createStartRequest,
  ServedMachine,
  waitUntil,
} from '../testing/served-machine';
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

itWithGit(
  'stores the changes of a turn that the agent begins by itself as an artifact of that turn',
  async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    await served.stop();
    const provider = new AgentProcessPool({ limits: { ...DEFAULT_AGENT_LIMITS, unpromptedSilenceMs: 300 } });
    const agents = { commands: [createTestAgentCommand()], provider, permissions: 'allow' as const };
    served = await ServedMachine.start({ cwd: folder, agents });
    const request = createMessageRequest('later 100 edit later.txt text');
    await served.service.callDevice(request);
    const findLater = () => [...served.service.agents.turns.values()].find(({ origin }) => origin === 'agent');
    await waitUntil(() => findLater()?.state === 'completed');
    expect(readFileSync(join(folder, 'later.txt'), 'utf8')).toBe('text\n');
    const tag = `ses_1/${findLater()!.localId.replace('req_', 'turn_')}.patch`;
    expect(served.service.artifacts).toMatchObject([{ tag, sessionId: 'ses_1', mediaType: 'text/x-diff' }]);
  },
  30_000,
);

describe('a start without a message', () => {
  const startSession = (params: object = {}) => served.service.callDevice(createStartRequest(params));
  async function serveAgents(...scripts: string[]): Promise<void> {
    await served.stop();
    const commands = scripts.map((script, index) => {
      const { command } = createTestAgentCommand();
      return createTestAgentCommand({ name: `agent-${index}`, command: ['sh', '-c', script, 'sh', ...command] });
    });
    served = await ServedMachine.start({
      cwd: folder,
      agents: { commands, provider: new AgentProcessPool({ maxProcesses: 2 }) },
    });
  }

  it('lets an agent go on that is slower than its caller, and a message then finds it', async () => {
    const started = join(folder, 'started');
    await serveAgents(`echo started >> ${started}; sleep 4; exec "$@"`);
    const answer = await startSession({ waitMs: 1_000 });
    expect(answer).toMatchObject({ ok: true, result: { turn: null, agentState: 'starting' } });
    const { sessionId } = (answer as unknown as { result: { sessionId: string } }).result;
    const message = { ...createMessageRequest('say Hello.'), sessionId };
    expect(await served.service.callDevice(message)).toMatchObject({ result: { reply: 'Hello.' } });
    expect(readFileSync(started, 'utf8')).toBe('started\n');
  }, 60_000);

  it.each([
    ['exits', 'echo MODEL_KEY is not set >&2; exit 3', 'The agent ended (status 3).'],
    ['speaks something else', 'echo MODEL_KEY is not set >&2; yes', ''],
  ])(
    'says why an agent cannot start that %s, with its standard error',
    async (_, script, reason) => {
      await serveAgents(script);
      const answer = await startSession({ waitMs: 25_000 });
      expect(answer).toMatchObject({ ok: false, error: { code: 'agent_start_failed' } });
      const { message } = (answer as { error: { message: string } }).error;
      expect(message).toContain(reason);
      expect(message).toContain('The last lines of its standard error:\nMODEL_KEY is not set');
    },
    60_000,
  );

  it('is refused while all places are taken, also by agents that are starting', async () => {
    await serveAgents('exec "$@"', 'sleep 60');
    expect(await startSession({ agent: 'agent-1', waitMs: 0 })).toMatchObject({ result: { agentState: 'starting' } });
    const working = createStartRequest({ content: 'silent', waitMs: 0 });
    expect(await served.service.callDevice(working)).toMatchObject({ ok: true });
    await waitUntil(() => getTurn(working.requestId)?.state === 'running');
    const refusal = await startSession();
    expect(refusal).toMatchObject({ ok: false, error: { code: 'busy' } });
    expect((refusal as { error: { message: string } }).error.message).toContain('at most 2 agents at a time');
    const queued = createStartRequest({ content: 'say Later.', waitMs: 0 });
    expect(await served.service.callDevice(queued)).toMatchObject({ result: { turn: { state: 'queued' } } });
    const cancellation = { ...createSessionRequest('session.end', {}), sessionId: 'ses_2' };
    expect(await served.service.callDevice(cancellation)).toMatchObject({ ok: true });
    await waitUntil(() => getTurn(queued.requestId)?.state === 'completed');
  }, 60_000);
});

it('lets another session work while a turn waits for a decision', async () => {
  await served.stop();
  const provider = new AgentProcessPool({ maxProcesses: 1, decisionGraceMs: 200 });
  served = await ServedMachine.start({ cwd: folder, agents: { commands: [createTestAgentCommand()], provider } });
  const asking = createMessageRequest('edit waits.txt approved');
  expect(await served.service.callDevice(asking)).toMatchObject({ result: { turn: { state: 'requires_action' } } });
  const other = createStartRequest({ content: 'say Meanwhile.', waitMs: 20_000 });
  expect(await served.service.callDevice(other)).toMatchObject({ result: { turn: { state: 'completed' } } });
  expect(getTurn(asking.requestId)?.state).toBe('requires_action');
}, 60_000);

it('remembers the process of an agent, which the next start finds if it outlives a kill of the machine', async () => {
  await served.stop();
  const store = new MemoryKeyStore();
  const agents = { commands: [createTestAgentCommand()], provider: new AgentProcessPool() };
  served = await ServedMachine.start({ cwd: folder, store, agents });
  const findProcess = async () => (await store.loadState('machine'))!.agentSessions!.ses_1!.process!;
  await served.service.callDevice(createMessageRequest('say Hello.'));
  const first = await findProcess();
  expect(await isRunning(first)).toBe(true);
  await served.service.callDevice(createMessageRequest('crash'));
  await served.service.callDevice(createMessageRequest('say Back.'));
  const second = await findProcess();
  expect(second).not.toEqual(first);
  expect(await isRunning(second)).toBe(true);
}, 30_000);

it('fails the turn of an agent that crashes, and starts it anew for the next one', async () => {
  expect(await served.service.callDevice(createMessageRequest('crash'))).toMatchObject({
    result: { turn: { state: 'failed' } },
  });
  expect(await served.service.callDevice(createMessageRequest('say Back.'))).toMatchObject({
    result: { reply: 'Back.', turn: { state: 'completed' } },
  });
}, 30_000);
