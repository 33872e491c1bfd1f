import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/wait-for';
import { reportTable, type TriedColumn } from './support/agents-table';
import { findProcesses } from './support/find-processes';
import { ENDED_TEXT, TITLE } from './support/model/choose-reaction';
import { StubModel } from './support/model/stub-model';
import { PROMISES, RETRIES, type Step } from './support/steps';
import { TRIED_AGENTS, type InstalledAgent } from './support/tried-agents';
import { TriedMachine } from './support/tried-machine';
import { ENDED, joinTexts, TURN_LIMIT_MS, type TriedSession } from './support/tried-session';

const STEP_TIMEOUT_MS = 900_000;
/** Longer than the tries of an agent that gives up by itself. */
const FAILURE_LIMIT_MS = 200_000;
/** An agent that still tries again after this time is cancelled. */
const RETRYING_MS = 15_000;
/** How long a model may think before a turn is cancelled that waits for it. */
const HANGING_MS = 3_000;
/** How long something may take that an agent does by itself. */
const LATE_LIMIT_MS = 40_000;
/** What agents say of a model that fails. */
const REASON = /\b(401|429|500)\b|key|authenticat|limit|error/i;
const TEXT = 'Hello from the stub: né 日本 😀, and so on.';

const columns = (JSON.parse(process.env.INSTALLED_AGENTS!) as InstalledAgent[]).map((installed) => ({
  agent: TRIED_AGENTS.find(({ name }) => name === installed.name)!,
  installed,
  outcomes: new Map<Step, string>(),
}));

afterAll(() => reportTable(columns));

/** Whether something succeeds that not every agent does. */
const happens = (check: () => unknown): Promise<boolean> =>
  waitFor(check, LATE_LIMIT_MS).then(
    () => true,
    () => false,
  );

describe.each(columns)('$agent.name $installed.version', ({ agent, installed, outcomes }: TriedColumn) => {
  let model: StubModel;
  let machine: TriedMachine;
  let session: TriedSession;

  beforeAll(async () => {
    model = await StubModel.start();
    machine = await TriedMachine.start(agent, installed, model.url);
  });
  afterAll(async () => {
    await machine?.stop();
    await model?.stop();
  });

  const findExpected = (step: Step): string => agent.differences[step] ?? PROMISES[step];

  /** Compares what happens with the promise, or with what is known to be different with this agent. */
  const tryStep = (step: Step, run: () => Promise<string>) =>
    it(
      step,
      async () => {
        const outcome = await run();
        outcomes.set(step, outcome);
        expect(outcome).toBe(findExpected(step));
      },
      STEP_TIMEOUT_MS,
    );

  /** The agent repeats what it was asked to say, or the history says that it doesn't know any more. */
  async function checkMemory(): Promise<string> {
    const { turn, messages } = await session.runTurn('recall');
    expect(turn).toMatchObject({ state: 'completed', errorCode: null });
    if (joinTexts(messages, 'assistant').includes(TEXT)) return 'remembers';
    expect(joinTexts(messages, 'system')).not.toBe('');
    return 'forgets, and says so';
  }

  it('starts a session', async () => {
    session = await machine.startSession();
    expect(await session.getRecord()).toMatchObject({ agent: { name: agent.name } });
  });

  tryStep('Message', async () => {
    const { turn, messages } = await session.runTurn(`say ${TEXT}`);
    expect(turn).toMatchObject({ state: 'completed', errorCode: null });
    expect(joinTexts(messages, 'assistant')).toContain(TEXT);
    return 'answered';
  });

  tryStep('Mode under `--permissions ask`', async () => {
    const { mode } = (await session.getRecord()).agent;
    // Copilot names its modes by addresses.
    return `\`${mode?.split('#').at(-1)}\``;
  });

  tryStep('Title of the session', async () => {
    const wanted = findExpected('Title of the session') === 'its own' ? TITLE : 'say Hello';
    await waitFor(async () => expect(await session.readTitle()).toContain(wanted), 20_000);
    return (await session.readTitle())!.includes(TITLE) ? 'its own' : 'of the first message';
  });

  tryStep('Usage of a turn (in, out, cached)', async () => {
    const { turn } = await session.runTurn('say Counted.');
    const { inputTokens, outputTokens, totalTokens, cachedInputTokens } = turn.usage!;
    // Some agents count apart what was cached.
    const sum = inputTokens + outputTokens;
    expect([sum, sum + (cachedInputTokens ?? 0)]).toContain(totalTokens);
    return [inputTokens, outputTokens, cachedInputTokens ?? 'none'].join(', ');
  });

  tryStep('Allowed command', async () => {
    const { turn, asked, messages } = await session.runTurn('run echo seen > allowed.txt && cat allowed.txt', 'allow');
    expect(turn).toMatchObject({ state: 'completed', errorCode: null });
    expect(readFileSync(join(machine.folder, 'allowed.txt'), 'utf8')).toBe('seen\n');
    expect(joinTexts(messages, 'assistant')).toContain('The command said');
    if (asked.length === 0) return 'runs it unasked';
    expect(asked).toEqual([expect.stringContaining('allowed.txt')]);
    return 'asks, then runs it';
  });

  tryStep('Output of a command', async () => {
    const { messages } = await session.runTurn('run echo printed; exit 3', 'allow');
    const { output, exitCode, status } = JSON.parse(joinTexts(messages, 'tool'));
    expect(['completed', 'failed']).toContain(status);
    if (!output.includes('printed')) return 'no text';
    return exitCode === 3 ? 'text, exit code' : 'text';
  });

  tryStep('Rejected command', async () => {
    const { turn, asked } = await session.runTurn('run touch rejected.txt', 'reject');
    expect(['completed', 'cancelled']).toContain(turn.state);
    if (asked.length === 0) return 'runs it unasked';
    expect(existsSync(join(machine.folder, 'rejected.txt'))).toBe(false);
    return turn.state === 'completed' ? "doesn't run it" : "doesn't run it, ends the turn";
  });

  tryStep('Turn cancelled during a command', async () => {
    // Some agents refuse to sleep.
    const mark = `busy-${randomInt(10_000, 100_000)}`;
    const turnId = await session.sendMessage(`run node -e 'setTimeout(() => {}, 1e8)' ${mark}`);
    await waitFor(async () => {
      const { state } = await session.waitForTurn(turnId, ['requires_action'], { limitMs: 1_000 });
      if (state === 'requires_action') await session.decide('allow');
      expect(findProcesses(mark)).not.toEqual([]);
    }, TURN_LIMIT_MS);
    await session.cancelTurn(turnId);
    await waitFor(() => expect(findProcesses(mark)).toEqual([]), 5_000);
    const tools = (await session.readMessages(turnId)).filter(({ role }) => role === 'tool');
    for (const { content } of tools) expect(['pending', 'in_progress']).not.toContain(JSON.parse(content).status);
    return `ends it, ${await checkMemory()}`;
  });

  tryStep('Device killed during a turn', async () => {
    const turnId = await session.sendMessage('slow 600');
    expect(await session.waitForTurn(turnId, ['running'])).toMatchObject({ state: 'running' });
    await sleep(HANGING_MS);
    await machine.stopDevice('SIGKILL');
    await machine.startDevice();
    expect(await session.waitForTurn(turnId)).toMatchObject({ state: 'failed', errorCode: 'agent_lost' });
    return checkMemory();
  });

  tryStep('Command in the background', async () => {
    const file = join(machine.folder, 'background.txt');
    const { turn } = await session.runTurn('background sleep 5; echo ended > background.txt', 'allow');
    expect(turn).toMatchObject({ state: 'completed', errorCode: null });
    if (existsSync(file)) return 'waits for it';
    if (!(await happens(() => expect(existsSync(file)).toBe(true)))) return 'stops it with the turn';
    const findLateTurn = async () => {
      const late = (await session.listTurns()).find(({ origin }) => origin === 'agent')!;
      expect(late).toMatchObject({ state: 'completed', requestId: null });
      expect(joinTexts(await session.readMessages(late.id), 'assistant')).toContain(ENDED_TEXT);
    };
    return (await happens(findLateTurn)) ? 'a turn of its own' : 'says nothing later';
  });

  tryStep('Session of the agent', async () => {
    const own = await machine.findAgentSession(session.id);
    if (!own) return 'not listed';
    if (!own.canFork) return 'listed';
    session = await machine.startSession({ resume: own.agentSessionId, fork: true });
    expect(await checkMemory()).toBe('remembers');
    return 'listed, continued as a copy';
  });

  it('starts another session', async () => {
    session = await machine.startSession();
  });

  const tryFailure = (step: Step, status: number) =>
    tryStep(step, async () => {
      const turnId = await session.sendMessage(`fail ${status}`);
      const limitMs = findExpected(step) === RETRIES ? RETRYING_MS : FAILURE_LIMIT_MS;
      const turn = await session.waitForTurn(turnId, ENDED, { limitMs });
      if (turn.state === 'running') {
        await session.cancelTurn(turnId);
        return RETRIES;
      }
      const messages = await session.readMessages(turnId);
      const reason = joinTexts(messages, turn.state === 'failed' ? 'system' : 'assistant');
      const said = REASON.test(reason) ? 'says why' : 'says nothing';
      return turn.state === 'failed' ? `fails: \`${turn.errorCode}\`, ${said}` : `${turn.state}, ${said}`;
    });
  tryFailure('Model answers 401', 401);
  tryFailure('Model answers 429', 429);
  tryFailure('Model answers 500', 500);

  tryStep('Model never answers', async () => {
    const turnId = await session.sendMessage('hang');
    expect(await session.waitForTurn(turnId, ['running'])).toMatchObject({ state: 'running' });
    await sleep(HANGING_MS);
    await session.cancelTurn(turnId);
    const { turn, messages } = await session.runTurn('say Still here.');
    expect(turn).toMatchObject({ state: 'completed', errorCode: null });
    expect(joinTexts(messages, 'assistant')).toContain('Still here.');
    return 'cancelled';
  });

  it('leaves no problem and no process behind', async () => {
    expect(machine.problems.filter((problem) => !/^The turn \S+ failed/.test(problem))).toEqual([]);
    await machine.stopDevice();
    await waitFor(() => expect(findProcesses(installed.folder)).toEqual([]), TURN_LIMIT_MS);
  });
});
