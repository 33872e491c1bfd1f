import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentError } from './agent-error';
import type { AgentProcess } from './agent-process';
import type { AgentSession, UnpromptedWork } from './agent-session';
import {
  buildTestAgent,
  isDead,
  openTestSession,
  RecordedTurn,
  runTestPrompt,
  stopTestAgents,
  waitUntil,
} from './testing/test-agents';
import { MAX_UNPROMPTED_TURNS, UnpromptedTurns } from './unprompted-turns';

const limits = { unpromptedSilenceMs: 400 };

interface RecordedWork {
  turn: RecordedTurn;
  work: UnpromptedWork;
  end: 'open' | 'ended' | AgentError;
}

const cwd = mkdtempSync(join(tmpdir(), 'unprompted-turns-'));

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);
afterAll(() => rmSync(cwd, { recursive: true }));

/** Records the turns that the agent begins by itself. */
function recordWork(session: AgentSession): RecordedWork[] {
  const works: RecordedWork[] = [];
  session.receiveUnpromptedWork((work) => {
    const recorded: RecordedWork = { turn: new RecordedTurn(), work, end: 'open' };
    works.push(recorded);
    void work.ended.then(
      () => (recorded.end = 'ended'),
      (error: AgentError) => (recorded.end = error),
    );
    return recorded.turn;
  });
  return works;
}

async function openRecordedSession() {
  const opened = await openTestSession({ limits, cwd });
  return { ...opened, works: recordWork(opened.session) };
}

describe('what an agent does after the end of a turn', () => {
  it('is a turn of its own until the agent is silent', async () => {
    const { session, works } = await openRecordedSession();
    const { turn } = await runTestPrompt(session, 'say started\nlater 100 say done ; tool output ; say bye');
    expect(turn.messages).toEqual(['started']);
    await waitUntil(() => works[0]?.end === 'ended');
    expect(works[0]?.turn.order).toEqual(['message', 'tool', 'message']);
    expect(works[0]?.turn.messages).toEqual(['done', 'bye']);
    await runTestPrompt(session, 'later 50 say again');
    await waitUntil(() => works[1]?.turn.addedTexts[0] === 'again');
    expect(works).toHaveLength(2);
  });

  it('names a message that is too long in its own turn', async () => {
    const { session } = await openTestSession({ limits: { unpromptedSilenceMs: 30_000 }, cwd });
    const works = recordWork(session);
    const { turn } = await runTestPrompt(session, 'later 50 say before ; large-tool 34000000 ; say after');
    await waitUntil(() => works[0]?.turn.addedTexts.at(-1) === 'after', 30_000);
    expect([turn.skippedLines, works[0]?.turn.skippedLines]).toEqual([[], [expect.any(Number)]]);
  }, 60_000);

  it('does not end while a permission request is open', async () => {
    const { session, works } = await openRecordedSession();
    await runTestPrompt(session, 'later 50 ask');
    await waitUntil(() => works[0]?.turn.permissions.length === 1);
    await sleep(1_000);
    expect(works[0]?.end).toBe('open');
    works[0]?.turn.permissions[0]?.select('o1');
    await waitUntil(() => works[0]?.end === 'ended');
    expect(works[0]?.turn.messages).toEqual(['answer: once']);
  });

  it('is ignored where nobody receives it, and its questions are cancelled', async () => {
    const { session } = await openRecordedSession();
    session.receiveUnpromptedWork(() => undefined);
    await runTestPrompt(session, 'later 20 say lost ; ask ; wait 200 ; create answered');
    await waitUntil(() => existsSync(join(cwd, 'answered')));
    const { turn } = await runTestPrompt(session, 'say on');
    expect(turn.messages).toEqual(['on']);
  });

  it('fails with its agent', async () => {
    const { session, works } = await openRecordedSession();
    await runTestPrompt(session, 'later 50 say dying ; crash');
    await waitUntil(() => works[0]?.end instanceof AgentError);
    expect(works[0]?.end).toMatchObject({ code: 'agent_lost' });
    expect(works[0]?.turn.messages).toEqual(['dying']);
  });

  it('ends with its command when it is cancelled', async () => {
    const { session, connection, works } = await openRecordedSession();
    await runTestPrompt(session, 'later 50 run-unasked trap "" TERM; sleep 60');
    await waitUntil(() => works[0]?.turn.addedTexts.length === 1);
    await works[0]?.work.cancel();
    expect(works[0]?.end).toBe('ended');
    expect(isDead(Number(works[0]?.turn.addedTexts[0]))).toBe(true);
    expect(works[0]?.turn.toolCalls).toMatchObject([{ status: 'cancelled' }]);
    expect(connection.isRunning).toBe(false);
  });
});

describe('a prompt', () => {
  it('does not get the tool call of an earlier prompt', async () => {
    const { session, works } = await openRecordedSession();
    const first = await runTestPrompt(session, 'begin-tool build\nlater 100 end-tool build');
    expect(first.turn.toolCalls).toMatchObject([{ id: 'build', status: 'in_progress' }]);
    const second = await runTestPrompt(session, 'wait 300\nsay two');
    expect(second.turn.toolCalls).toEqual([]);
    expect(second.turn.messages).toEqual(['two']);
    await waitUntil(() => works[0]?.end === 'ended');
    expect(works[0]?.turn.toolCalls).toMatchObject([{ id: 'build', title: 'Build', status: 'completed' }]);
    expect(works).toHaveLength(1);
  });

  it('runs beside work that goes on, and work that ends meanwhile keeps its own', async () => {
    const { session, works } = await openRecordedSession();
    await runTestPrompt(session, 'later 50 say working ; begin-tool build ; wait 200 ; end-tool build ; ask');
    await waitUntil(() => works.length === 1 && works[0]?.turn.messages.length === 1);
    const { turn } = await runTestPrompt(session, 'begin-tool other\nend-tool other\nwait 300\nsay two');
    expect(turn.order).toEqual(['tool', 'permission', 'message']);
    turn.permissions[0]?.select('o1');
    expect(turn.toolCalls).toMatchObject([{ id: 'other' }]);
    await waitUntil(() => works[0]?.end === 'ended');
    expect(works[0]?.turn.toolCalls).toMatchObject([{ id: 'build', status: 'completed' }]);
  });

  it('ends work that waits for nothing', async () => {
    const { session, works } = await openRecordedSession();
    await runTestPrompt(session, 'later 50 say done');
    await waitUntil(() => works.length === 1);
    await runTestPrompt(session, 'say two');
    expect(works[0]?.end).toBe('ended');
    expect(works[0]?.turn.messages).toEqual(['done']);
  });
});

describe('the turns of an agent without prompts', () => {
  const text = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } };
  const createTurns = () => {
    const stop = jest.fn(() => Promise.resolve());
    const process = { isRunning: true, closed: new Promise(() => undefined), stop } as unknown as AgentProcess;
    const turns = new UnpromptedTurns(process, { turnTimeoutMs: 60_000, unpromptedSilenceMs: 20 });
    const works: UnpromptedWork[] = [];
    turns.receiver = (work) => (works.push(work), new RecordedTurn());
    return { turns, works, stop };
  };

  it('begin only after the first prompt, and only with work', () => {
    const { turns, works } = createTurns();
    expect(turns.findTurn(text, undefined)).toBeUndefined();
    turns.beginPrompt();
    for (const update of [
      { sessionUpdate: 'usage_update', used: 1 },
      { sessionUpdate: 'available_commands_update' },
      { ...text, content: { type: 'text', text: '' } },
    ])
      expect(turns.findTurn(update, undefined)).toBeUndefined();
    expect(works).toEqual([]);
    const turn = turns.findTurn(text, undefined);
    expect(turns.findTurn({ sessionUpdate: 'usage_update' }, undefined)).toBe(turn);
    turn?.interrupt(new AgentError('agent_silent', 'The test is over.'));
  });

  it('are bounded: the agent is stopped after the last one, and a prompt allows more', async () => {
    const { turns, works, stop } = createTurns();
    turns.beginPrompt();
    for (let count = 0; count < MAX_UNPROMPTED_TURNS - 1; count++) {
      turns.findTurn(text, undefined);
      await works.at(-1)?.ended;
    }
    expect([works.at(-1)?.isLast, stop.mock.calls.length]).toEqual([false, 0]);
    turns.findTurn(text, undefined);
    expect(works.at(-1)?.isLast).toBe(true);
    await works.at(-1)?.ended;
    expect(stop).toHaveBeenCalledTimes(1);
    expect(turns.findTurn(text, undefined)).toBeUndefined();
    expect(works).toHaveLength(MAX_UNPROMPTED_TURNS);
    turns.beginPrompt();
    expect(turns.findTurn(text, undefined)).toBeDefined();
    await works.at(-1)?.ended;
  }, 30_000);
});
