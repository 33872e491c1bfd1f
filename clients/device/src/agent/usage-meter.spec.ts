import { UsageMeter } from './usage-meter';

function createMeter(agentName = 'copilot') {
  const meter = new UsageMeter(agentName);
  const runTurn = (answer: Record<string, unknown>, ...updates: Record<string, unknown>[]) => {
    meter.beginTurn();
    for (const update of updates) meter.handleUpdate(update);
    meter.endTurn(answer);
    return meter.turnUse;
  };
  return { meter, runTurn };
}

const report = (inputTokens: unknown, outputTokens: unknown, totalTokens?: unknown, cachedReadTokens?: unknown) => ({
  usage: { inputTokens, outputTokens, totalTokens, cachedReadTokens },
});
const usage = (inputTokens: number, outputTokens: number, totalTokens: number, cached: number | null = null) => ({
  inputTokens,
  outputTokens,
  totalTokens,
  cachedInputTokens: cached,
});
const spend = (amount: unknown, currency: unknown = 'USD') => ({
  sessionUpdate: 'usage_update',
  used: 10,
  size: 100,
  cost: { amount, currency },
});

describe('the usage of a turn', () => {
  it('is the difference of running sums, and a sum that shrinks begins anew', () => {
    const { runTurn } = createMeter();
    const reports = [
      report(1_500, 42, 1_842, 300),
      report(3_000, 84, 3_684, 600),
      report(3_000, 100, 3_700, 600),
      report(1_000, 10, 1_010, 0),
      report(1_200, 30, 1_230, 0),
    ];
    expect(reports.map((each) => runTurn(each).usage)).toEqual([
      usage(1_500, 42, 1_842, 300),
      usage(1_500, 42, 1_842, 300),
      usage(0, 16, 16, 0),
      usage(1_000, 10, 1_010, 0),
      usage(200, 20, 220, 0),
    ]);
  });

  it.each(['@agentclientprotocol/claude-agent-acp', 'codex-acp', 'OpenCode'])(
    'is the report of %s, which counts each turn',
    (agentName) => {
      const { runTurn } = createMeter(agentName);
      runTurn(report(100, 10, 110));
      expect(runTurn(report(200, 20, 220)).usage).toEqual(usage(200, 20, 220));
    },
  );

  it('is the same again if an agent reports the same again', () => {
    const { runTurn } = createMeter();
    runTurn(report(100, 10, 110));
    expect(runTurn(report(100, 10, 110)).usage).toEqual(usage(100, 10, 110));
  });

  it('is read where Gemini CLI and Qwen Code say it', () => {
    const { runTurn } = createMeter();
    const quota = { token_count: { input_tokens: 3_000, output_tokens: 84 }, model_usage: [] };
    expect(runTurn({ _meta: { quota } }).usage).toEqual(usage(3_000, 84, 3_084));
    const chunk = (inputTokens: number, cachedReadTokens?: number) => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: '' },
      _meta: report(inputTokens, 42, inputTokens + 50, cachedReadTokens),
    });
    const thought = { ...chunk(7), sessionUpdate: 'agent_thought_chunk' };
    expect(runTurn({}, chunk(1_500, 300), thought, chunk(1_600)).usage).toEqual(usage(3_100, 84, 3_200, 300));
    expect(runTurn({}).usage).toBeNull();
  });

  it.each([
    ['not integers', report(1.5, 2, 3.5)],
    ['negative', report(1, -2, -1)],
    ['huge', report(1, 2, 2 ** 53)],
    ['texts', report('1', '2', '3')],
    ['missing', report(1, undefined)],
  ])('is null if its numbers are %s', (_, answer) => {
    expect(createMeter().runTurn(answer).usage).toBeNull();
  });

  it('leaves a number out that only the cache has wrong', () => {
    expect(createMeter().runTurn(report(1, 2, 3, -1)).usage).toEqual(usage(1, 2, 3));
  });

  it('never exceeds what can be counted exactly', () => {
    const { runTurn } = createMeter();
    const chunk = { sessionUpdate: 'agent_message_chunk', _meta: report(2 ** 52, 0, 2 ** 53 - 1) };
    expect(runTurn({}, chunk, chunk).usage).toEqual(usage(2 ** 53 - 1, 0, 2 ** 53 - 1));
  });
});

describe('the cost of a turn', () => {
  it('is the growth of the cost of the session, which may begin anew', () => {
    const { meter, runTurn } = createMeter();
    meter.handleUpdate(spend(1));
    expect(runTurn({}, spend(1.1), spend(1.3)).cost).toEqual({ amount: 0.3, currency: 'USD' });
    expect(runTurn({}, spend(0.2), spend(0.25)).cost).toEqual({ amount: 0.25, currency: 'USD' });
    expect(runTurn({}, spend(0.25)).cost).toEqual({ amount: 0, currency: 'USD' });
    expect(runTurn({}).cost).toBeNull();
    expect(runTurn({}, spend(2, 'EUR')).cost).toEqual({ amount: 2, currency: 'EUR' });
  });

  it.each([
    [-1, 'USD'],
    [Number.NaN, 'USD'],
    [1e10, 'USD'],
    ['1', 'USD'],
    [1, 'usd'],
    [1, null],
  ])('is null for %p %p', (amount, currency) => {
    expect(createMeter().runTurn({}, spend(amount, currency)).cost).toBeNull();
  });
});

it('keeps the last context that makes sense', () => {
  const { runTurn } = createMeter();
  expect(runTurn({}).context).toBeNull();
  const update = { sessionUpdate: 'usage_update', used: 48_200, size: 200_000 };
  expect(runTurn({}, update, { ...update, used: -1 }, { ...update, size: 1.5 }).context).toEqual({
    used: 48_200,
    size: 200_000,
  });
  expect(runTurn({}).context).toEqual({ used: 48_200, size: 200_000 });
});
