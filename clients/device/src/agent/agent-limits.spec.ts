import {
  buildTestAgent,
  isDead,
  openTestSession,
  RecordedTurn,
  runTestPrompt,
  stopTestAgents,
  waitUntil,
} from './testing/test-agents';
import { MAX_LINE_BYTES } from './line-reader';

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('cancellation', () => {
  it('kills an agent that does not stop, and the turn is cancelled', async () => {
    const { session, connection } = await openTestSession({ limits: { cancelGraceMs: 200 } });
    const running = session.prompt('child\ntool x\nhang', new RecordedTurn());
    await sleep(100);
    await session.cancel();
    expect(await running).toEqual({ stopReason: 'cancelled' });
    expect((await connection.closed).error.message).toBe('The agent did not stop in time.');
  });

  it('counts also if the agent says that it has completed the turn', async () => {
    const { session } = await openTestSession();
    const running = session.prompt('ignore-cancel', new RecordedTurn());
    await session.cancel();
    expect(await running).toEqual({ stopReason: 'cancelled' });
    expect(session.turnUse.usage).toMatchObject({ outputTokens: 7 });
  });

  it('leaves an agent alone that stops in time', async () => {
    const { session } = await openTestSession({ limits: { cancelGraceMs: 200 } });
    const running = session.prompt('silent', new RecordedTurn());
    await session.cancel();
    expect((await running).stopReason).toBe('cancelled');
    await sleep(300);
    expect((await runTestPrompt(session, 'say on')).turn.messages).toEqual(['on']);
  });

  it('does nothing without a turn', async () => {
    const { session } = await openTestSession();
    await session.cancel();
    expect((await runTestPrompt(session, 'say on')).stopReason).toBe('end_turn');
  });
});

describe('the limit of silence', () => {
  const limits = { silenceTimeoutMs: 400, cancelGraceMs: 200 };

  it('ends a turn with agent_silent', async () => {
    const { session } = await openTestSession({ limits });
    await expect(runTestPrompt(session, 'silent')).rejects.toMatchObject({ code: 'agent_silent' });
    expect((await runTestPrompt(session, 'say on')).turn.messages).toEqual(['on']);
  });

  it('kills an agent that does not stop either', async () => {
    const { session, connection } = await openTestSession({ limits });
    await expect(runTestPrompt(session, 'hang')).rejects.toMatchObject({ code: 'agent_silent' });
    await connection.closed;
  });

  it('does not count while a tool call is in progress, and begins anew after it', async () => {
    const { session } = await openTestSession({ limits });
    const startedAt = performance.now();
    await expect(runTestPrompt(session, 'slow-tool 900\nsilent')).rejects.toMatchObject({ code: 'agent_silent' });
    expect(performance.now() - startedAt).toBeGreaterThan(1_250);
  });

  it('does not count while a permission request is open', async () => {
    const { session } = await openTestSession({ limits });
    const { turn } = await runTestPrompt(session, 'ask', (request) => void sleep(900).then(() => request.select('o1')));
    expect(turn.messages).toEqual(['answer: once']);
  });
});

describe('the limit of a turn', () => {
  const limits = { turnTimeoutMs: 500, cancelGraceMs: 200 };

  it('ends a turn with turn_timeout, also during a tool call', async () => {
    const { session } = await openTestSession({ limits });
    const turn = new RecordedTurn();
    await expect(session.prompt('slow-tool 60000', turn)).rejects.toMatchObject({ code: 'turn_timeout' });
    expect(turn.toolCalls).toMatchObject([{ status: 'cancelled' }]);
  });

  it('does not count while a permission request is open', async () => {
    const { session } = await openTestSession({ limits });
    const { stopReason } = await runTestPrompt(
      session,
      'ask',
      (request) => void sleep(900).then(() => request.cancel()),
    );
    expect(stopReason).toBe('end_turn');
  });
});

describe('an agent that misbehaves', () => {
  it('may write a line without end, which is skipped in bounded memory', async () => {
    const { session } = await openTestSession();
    const before = process.memoryUsage().rss;
    const { turn } = await runTestPrompt(session, `flood ${MAX_LINE_BYTES * 4}\nsay on`);
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_LINE_BYTES * 3);
    expect(turn.skippedLines).toEqual([MAX_LINE_BYTES * 4]);
    expect(turn.messages).toEqual(['on']);
  });

  it('may send a tool result of up to 32 MiB, and the status of a larger one still counts', async () => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'large-tool 33000000\nlarge-tool 34000000\nsay on');
    expect(turn.toolCalls).toMatchObject([
      { status: 'completed', output: expect.stringMatching(/^x+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+$/) },
      { status: 'completed', output: '' },
    ]);
    expect(turn.skippedLines).toEqual([expect.any(Number)]);
    expect(turn.messages).toEqual(['on']);
  });

  it('may write lines that are not JSON, up to a limit', async () => {
    const { session } = await openTestSession();
    expect((await runTestPrompt(session, 'garbage 900\nsay still here')).turn.messages).toEqual(['still here']);
    await expect(runTestPrompt(session, 'garbage 200\nsilent')).rejects.toMatchObject({ code: 'agent_error' });
  });

  it('may send 1,000 updates a second', async () => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'updates 1000');
    expect(turn.messages).toEqual([Array.from({ length: 1000 }, (_, index) => `${index} `).join('')]);
  });

  it('may send unknown notifications and updates, and gets an error for unknown requests', async () => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'say before\nunknown');
    expect(turn.messages).toEqual(['beforeerror -32601']);
  });

  it('does not leave processes that keep its pipes open', async () => {
    const { session, connection } = await openTestSession();
    const turn = new RecordedTurn();
    const startedAt = performance.now();
    await expect(session.prompt('child\nwait 50\ncrash', turn)).rejects.toMatchObject({ code: 'agent_lost' });
    await connection.closed;
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await waitUntil(() => isDead(Number(turn.messages[0])));
  });

  it('is stopped with all that it started', async () => {
    const { session, connection } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'child');
    await connection.stop();
    await waitUntil(() => isDead(Number(turn.messages[0])));
  });
});
