import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentProcessPool, type AgentPoolOptions } from './agent-process-pool';
import type { AgentSessionLease } from './agent-session';
import { buildTestAgent, createTestAgentCommand, RecordedTurn, runTestPrompt, waitUntil } from './testing/test-agents';

const folder = mkdtempSync(join(tmpdir(), 'agent-pool-'));
const pools: AgentProcessPool[] = [];

beforeAll(buildTestAgent, 120_000);
beforeEach(() => {
  process.env.TEST_AGENT_FOLDER = folder;
  process.env.TEST_AGENT_OPTIONS = '';
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stopAll()));
});
afterAll(() => rmSync(folder, { recursive: true }));

function createPool(options: AgentPoolOptions = {}): AgentProcessPool {
  const pool = new AgentProcessPool({ maxProcesses: 2, ...options });
  pools.push(pool);
  return pool;
}

const createRequest = (agentSessionId: string | null = null) => ({
  command: createTestAgentCommand(),
  resolveFolder: () => Promise.resolve(folder),
  agentSessionId,
  modeRule: { callerMode: null, decidingCallerMode: 'allow' as const, mustAsk: true },
});

/** Returns whether the promise is still pending after a while. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 200, 'later'));
  return (await Promise.race([promise.catch(() => 'failed'), later])) === 'later';
}

const getOrigin = ({ origin }: AgentSessionLease) => origin;

it('keeps the agent of a session running between turns', async () => {
  const pool = createPool();
  const first = await pool.acquireSession('a', createRequest());
  await runTestPrompt(first.session, 'say one');
  first.release();
  const second = await pool.acquireSession('a', createRequest(first.session.id));
  expect([first, second].map(getOrigin)).toEqual(['created', 'running']);
  expect(second.session).toBe(first.session);
});

it('refuses a second lease of a session', async () => {
  const pool = createPool();
  await pool.acquireSession('a', createRequest());
  await expect(pool.acquireSession('a', createRequest())).rejects.toThrow('The session is in use.');
});

it('stops the longest idle agent for another session, and loads it again later', async () => {
  const pool = createPool();
  const a = await pool.acquireSession('a', createRequest());
  const b = await pool.acquireSession('b', createRequest());
  await runTestPrompt(a.session, 'say one');
  a.release();
  b.release();
  const c = await pool.acquireSession('c', createRequest());
  expect(getOrigin(c)).toBe('created');
  expect(getOrigin(await pool.acquireSession('b', createRequest(b.session.id)))).toBe('running');
  c.release();
  const again = await pool.acquireSession('a', createRequest(a.session.id));
  expect(getOrigin(again)).toBe('loaded');
  expect((await runTestPrompt(again.session, 'memory')).turn.messages).toEqual(['say one']);
});

it('resolves the folder before each start of an agent, and after the wait for a place', async () => {
  const pool = createPool({ maxProcesses: 1 });
  const holder = await pool.acquireSession('a', createRequest());
  const resolveFolder = jest.fn(() => Promise.resolve(folder));
  const waiting = pool.acquireSession('b', { ...createRequest(), resolveFolder });
  expect(await isPending(waiting)).toBe(true);
  expect(resolveFolder).not.toHaveBeenCalled();
  holder.release();
  const { session } = await waiting;
  expect(resolveFolder).toHaveBeenCalledTimes(1);
  await pool.stopSession('b');
  const refuse = () => Promise.reject(new Error('not allowed'));
  const again = pool.acquireSession('b', { ...createRequest(session.id), resolveFolder: refuse });
  await expect(again).rejects.toThrow('not allowed');
  expect(getOrigin(await pool.acquireSession('b', createRequest(session.id)))).toBe('loaded');
});

it('lets callers wait in order while all agents are busy, also with an open permission request', async () => {
  const pool = createPool();
  const a = await pool.acquireSession('a', createRequest());
  const b = await pool.acquireSession('b', createRequest());
  const asking = new RecordedTurn();
  const turn = a.session.prompt('ask', asking);
  await waitUntil(() => asking.permissions.length === 1);
  const third = pool.acquireSession('c', createRequest());
  const fourth = pool.acquireSession('d', createRequest());
  expect(await isPending(third)).toBe(true);
  b.release();
  expect(getOrigin(await third)).toBe('created');
  expect(await isPending(fourth)).toBe(true);
  asking.permissions[0]?.select('o1');
  await turn;
  a.release();
  expect(getOrigin(await fourth)).toBe('created');
});

it('lends the place of a turn that waits for a decision, and counts it again afterwards', async () => {
  const pool = createPool({ maxProcesses: 1, decisionGraceMs: 100 });
  const a = await pool.acquireSession('a', createRequest());
  const asking = new RecordedTurn();
  const turn = a.session.prompt('ask', asking);
  await waitUntil(() => asking.permissions.length === 1);
  const b = await pool.acquireSession('b', createRequest());
  asking.permissions[0]?.select('o1');
  await turn;
  b.release();
  // The turn of the first session still runs, and counts.
  const third = pool.acquireSession('c', createRequest());
  expect(await isPending(third)).toBe(true);
  a.release();
  expect(getOrigin(await third)).toBe('created');
});

it('does not lend the place of a turn that was decided in time', async () => {
  const pool = createPool({ maxProcesses: 1, decisionGraceMs: 500 });
  const a = await pool.acquireSession('a', createRequest());
  await runTestPrompt(a.session, 'ask', (request) => request.select('o1'));
  const waiting = pool.acquireSession('b', createRequest());
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await isPending(waiting)).toBe(true);
  a.release();
  await waiting;
});

it('lends the place of a turn that the agent has begun by itself while it waits, but not beside a prompt', async () => {
  const pool = createPool({ maxProcesses: 1, decisionGraceMs: 100 });
  const a = await pool.acquireSession('a', createRequest());
  const unprompted = new RecordedTurn();
  a.session.receiveUnpromptedWork(() => unprompted);
  await runTestPrompt(a.session, 'later 50 ask');
  await waitUntil(() => unprompted.permissions.length === 1);
  const prompt = a.session.prompt('wait 600', new RecordedTurn());
  const waiting = pool.acquireSession('b', createRequest());
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await isPending(waiting)).toBe(true);
  await prompt;
  a.release();
  const b = await waiting;
  unprompted.permissions[0]?.select('o1');
  await waitUntil(() => unprompted.addedTexts.length === 1);
  // It counts again: one agent more than allowed works.
  b.release();
  expect(await isPending(pool.acquireSession('c', createRequest()))).toBe(true);
});

it('gives each of 30 sessions its turn in two processes, before one that is busy gets its next', async () => {
  const pool = createPool();
  const order: number[] = [];
  let runningCount = 0;
  let maxRunningCount = 0;
  const runTurns = async (index: number) => {
    for (let turn = 0; turn < (index < 2 ? 2 : 1); turn++) {
      // The folder is resolved when the session gets its place. How long its process takes to start is another matter.
      const resolveFolder = () => {
        order.push(index);
        return Promise.resolve(folder);
      };
      const lease = await pool.acquireSession(`s${index}`, { ...createRequest(), resolveFolder });
      maxRunningCount = Math.max(maxRunningCount, ++runningCount);
      await runTestPrompt(lease.session, 'wait 150');
      runningCount--;
      lease.release();
    }
  };
  const indexes = Array.from({ length: 30 }, (_, index) => index);
  await Promise.all(indexes.map(runTurns));
  expect(maxRunningCount).toBe(2);
  expect(order.slice(0, 30)).toEqual(indexes);
  expect(order.slice(30).toSorted((a, b) => a - b)).toEqual([0, 1]);
}, 120_000);

it('reserves a place that is free or that an idle agent has, and no other', async () => {
  const pool = createPool();
  const { signal } = new AbortController();
  const a = await pool.acquireSession('a', createRequest());
  const place = await pool.reservePlace(signal);
  const refusal = await pool.reservePlace(signal).catch((error: Error) => error);
  expect(refusal).toMatchObject({ code: 'busy' });
  expect((refusal as Error).message).toMatch(/at most 2 agents at a time.* becomes free when a turn ends/);
  a.release();
  const second = await pool.reservePlace(signal);
  expect(getOrigin(await pool.acquireSession('b', { ...createRequest(), place }))).toBe('created');
  await expect(pool.reservePlace(signal)).rejects.toMatchObject({ code: 'busy' });
  second.release();
  (await pool.reservePlace(signal)).release();
});

it('adds the end of standard error to the error of an agent that did not start', async () => {
  const pool = createPool();
  const command = createTestAgentCommand({ command: ['sh', '-c', 'echo MODEL_KEY is not set >&2; exit 3'] });
  const error = await pool.acquireSession('a', { ...createRequest(), command }).catch((each: Error) => each);
  expect(error).toMatchObject({ code: 'agent_lost', report: { lastErrorLines: 'MODEL_KEY is not set' } });
});

it('removes an aborted caller from the queue', async () => {
  const pool = createPool({ maxProcesses: 1 });
  const a = await pool.acquireSession('a', createRequest());
  const controller = new AbortController();
  const aborted = pool.acquireSession('b', createRequest(), controller.signal);
  const next = pool.acquireSession('c', createRequest());
  controller.abort();
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  a.release();
  expect(getOrigin(await next)).toBe('created');
});

it('frees the slot of an agent that cannot be started', async () => {
  const pool = createPool({ maxProcesses: 1 });
  const broken = { ...createRequest(), command: createTestAgentCommand({ command: ['no-such-agent-here'] }) };
  await expect(pool.acquireSession('a', broken)).rejects.toMatchObject({ code: 'agent_error' });
  expect(getOrigin(await pool.acquireSession('a', createRequest()))).toBe('created');
});

it('starts a new process after a crash, which loads the session', async () => {
  const exits: string[] = [];
  const pool = createPool({ maxProcesses: 1, onExit: (name, { error }) => exits.push(`${name}: ${error.message}`) });
  const lease = await pool.acquireSession('a', createRequest());
  await expect(runTestPrompt(lease.session, 'crash')).rejects.toMatchObject({ code: 'agent_lost' });
  lease.release();
  const again = await pool.acquireSession('a', createRequest(lease.session.id));
  expect(getOrigin(again)).toBe('loaded');
  expect(exits).toEqual(['test: The agent ended (status 3).']);
});

it('stops an idle agent after its time', async () => {
  const exits: string[] = [];
  const pool = createPool({ idleTimeoutMs: 50, onExit: (_, { error }) => exits.push(error.message) });
  const lease = await pool.acquireSession('a', createRequest());
  lease.release();
  await waitUntil(() => exits.length === 1);
  expect(getOrigin(await pool.acquireSession('a', createRequest(lease.session.id)))).toBe('loaded');
});

it('stops one session, and all of them', async () => {
  const pool = createPool({ maxProcesses: 1 });
  const { session } = await pool.acquireSession('a', createRequest());
  const turn = runTestPrompt(session, 'silent').catch((error: unknown) => error);
  const waiting = pool.acquireSession('b', createRequest()).catch((error: unknown) => error);
  await pool.stopSession('b');
  expect(await waiting).toMatchObject({ name: 'AbortError' });
  await pool.stopAll();
  expect(await turn).toMatchObject({ code: 'agent_lost' });
});

it('kills an agent whose start is aborted', async () => {
  process.env.TEST_AGENT_OPTIONS = 'silent-start';
  const pool = createPool({ maxProcesses: 1 });
  const starting = pool.acquireSession('a', createRequest(), AbortSignal.timeout(300));
  await expect(starting).rejects.toMatchObject({ name: 'TimeoutError' });
  process.env.TEST_AGENT_OPTIONS = '';
  expect(getOrigin(await pool.acquireSession('a', createRequest()))).toBe('created');
});

it.each([
  ['stops it', (pool: AgentProcessPool) => pool.stopSession('a')],
  ['stops all', (pool: AgentProcessPool) => pool.stopAll()],
])('leaves no process of an agent that is starting when it %s', async (_, stop) => {
  let startedCount = 0;
  for (const delayMs of [0, 1, 3, 10, 30, 100, null]) {
    const pool = createPool({ maxProcesses: 1 });
    const pidFile = join(folder, `pid-${randomUUID()}`);
    const command = createTestAgentCommand({ command: ['sh', '-c', `echo $$ > ${pidFile}; exec sleep 60`] });
    const starting = pool.acquireSession('a', { ...createRequest(), command }).catch((error: unknown) => error);
    // The last time, the program has surely started.
    if (delayMs === null) await waitUntil(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '', 20_000);
    else if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    await stop(pool);
    const hasStarted = existsSync(pidFile);
    // The file is empty if the program was killed before it wrote its id.
    const pid = hasStarted ? Number(readFileSync(pidFile, 'utf8')) : 0;
    if (pid > 0) {
      startedCount += 1;
      expect(existsSync(`/proc/${pid}`)).toBe(false);
    }
    expect(await starting).toMatchObject({ name: 'AbortError' });
    expect(existsSync(pidFile)).toBe(hasStarted);
  }
  expect(startedCount).toBeGreaterThan(0);
});
