import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentProcessPool } from './agent-process-pool';
import type { AgentPermissionRequest } from './agent-session';
import type { ModeRule } from './agent-settings';
import {
  buildTestAgent,
  createTestAgentCommand,
  isDead,
  openTestSession,
  RecordedTurn,
  runTestPrompt,
  stopTestAgents,
  waitUntil,
} from './testing/test-agents';

const STUBBORN_COMMAND = 'trap "" TERM; sleep 60';

const allow = (request: AgentPermissionRequest): boolean => request.select('o1');

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);

/** Prompts a test agent, cancels the turn once its listener has got what `isDue` waits for, and returns both. */
async function cancelPrompt(text: string, listener: RecordedTurn, isDue: () => boolean) {
  const { session, connection } = await openTestSession();
  const running = session.prompt(text, listener);
  await waitUntil(isDue);
  await session.cancel();
  return { session, connection, result: await running };
}

describe('a cancelled turn', () => {
  it.each(['run', 'run-unasked'])('ends a command that its agent leaves (%s)', async (step) => {
    const listener = new RecordedTurn(allow);
    const getCommandPid = () => Number(listener.addedTexts[0]);
    const isStarted = () => getCommandPid() > 0;
    const { connection, result } = await cancelPrompt(`${step} ${STUBBORN_COMMAND}`, listener, isStarted);
    expect(isDead(getCommandPid())).toBe(true);
    expect(result.stopReason).toBe('cancelled');
    expect(connection.isRunning).toBe(false);
    expect(listener.toolCalls).toMatchObject([{ title: 'Run a command', kind: 'execute', status: 'cancelled' }]);
  });

  it('keeps an agent that only asks whether it may run a command', async () => {
    const listener = new RecordedTurn();
    const { session, result } = await cancelPrompt('run sleep 60', listener, () => listener.permissions.length === 1);
    expect(result.stopReason).toBe('cancelled');
    expect(listener.toolCalls).toMatchObject([{ status: 'cancelled' }]);
    expect((await runTestPrompt(session, 'say on')).turn.messages).toEqual(['on']);
  });

  it('keeps an agent whose command has ended', async () => {
    const listener = new RecordedTurn();
    const { session } = await cancelPrompt('tool done\nsilent', listener, () => listener.toolCalls.length === 1);
    expect(listener.toolCalls).toMatchObject([{ status: 'completed' }]);
    expect((await runTestPrompt(session, 'say on')).turn.messages).toEqual(['on']);
  });

  it('keeps an agent that cancels the turn because a command was rejected', async () => {
    const { session } = await openTestSession();
    const { turn, stopReason } = await runTestPrompt(session, 'run sleep 60', (request) => request.select('o3'));
    expect(stopReason).toBe('cancelled');
    expect(turn.toolCalls).toMatchObject([{ status: 'cancelled' }]);
    expect((await runTestPrompt(session, 'say on')).turn.messages).toEqual(['on']);
  });
});

it('loads the session again for the turn after a cancelled command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cancelled-commands-'));
  Object.assign(process.env, { TEST_AGENT_FOLDER: folder, TEST_AGENT_OPTIONS: '' });
  const pool = new AgentProcessPool();
  const resolveFolder = () => Promise.resolve(folder);
  const modeRule: ModeRule = { callerMode: null, decidingCallerMode: 'allow', mustAsk: false };
  const request = { command: createTestAgentCommand(), resolveFolder, agentSessionId: null, modeRule };
  try {
    const first = await pool.acquireSession('a', request);
    const listener = new RecordedTurn();
    const running = first.session.prompt(`run-unasked ${STUBBORN_COMMAND}`, listener);
    await waitUntil(() => listener.addedTexts.length === 1);
    await first.session.cancel();
    await running;
    first.release();
    const second = await pool.acquireSession('a', { ...request, agentSessionId: first.session.id });
    expect(second.origin).toBe('loaded');
    expect((await runTestPrompt(second.session, 'memory')).turn.messages).toEqual([`run-unasked ${STUBBORN_COMMAND}`]);
  } finally {
    await pool.stopAll();
    delete process.env.TEST_AGENT_FOLDER;
    rmSync(folder, { recursive: true });
  }
});
