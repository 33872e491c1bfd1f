import { tmpdir } from 'node:os';
import { AgentConnection } from './agent-connection';
import { DEFAULT_AGENT_LIMITS } from './agent-limits';
import { AgentError } from './agent-error';
import { RecordedTurn } from './testing/test-agents';

/** Agent whose results and other lines are given by the test. The prompt has the lines that it writes first. */
const AGENT_PROGRAM = `
  const results = JSON.parse(process.argv[1]);
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'session/prompt') {
      const { lines, answer } = JSON.parse(params.prompt[0].text);
      const deep = '['.repeat(1e5) + ']'.repeat(1e5);
      for (const text of lines) process.stdout.write(text.replace('"@deep"', deep) + '\\n');
      process.stdout.write(JSON.stringify({ id, ...answer }) + '\\n');
    } else if (id !== undefined && method) {
      process.stdout.write(JSON.stringify({ id, result: results[method] }) + '\\n');
    }
  });`;

const RESULTS = {
  initialize: {
    protocolVersion: 1,
    agentInfo: { name: 'a', title: 'A', version: '1' },
    agentCapabilities: { loadSession: true },
  },
  'session/new': {
    sessionId: 's1',
    modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] },
    configOptions: [
      { id: 'm', category: 'mode', type: 'select', currentValue: 'x', options: [{ value: 'x', name: 'X' }] },
    ],
  },
  'session/set_mode': {},
};

const text = { type: 'text', text: 'hi' };
const createUpdate = (update: object) => ({ method: 'session/update', params: { sessionId: 's1', update } });
const CALL = {
  toolCallId: 'c1',
  title: 'Run',
  kind: 'execute',
  status: 'in_progress',
  content: [
    { type: 'content', content: text },
    { type: 'content', content: { type: 'resource_link', name: 'n', uri: 'u' } },
    { type: 'content', content: { type: 'resource', resource: { uri: 'u', text: 't' } } },
    { type: 'diff', path: 'p', oldText: 'o', newText: 'n' },
  ],
  rawInput: { command: 'ls' },
  rawOutput: { code: 0 },
};
const MESSAGES: object[] = [
  createUpdate({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text }),
  createUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'resource_link', name: 'n', uri: 'u' } }),
  createUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'resource', resource: { uri: 'u' } } }),
  createUpdate({ sessionUpdate: 'agent_thought_chunk', content: text }),
  createUpdate({ sessionUpdate: 'current_mode_update', currentModeId: 'ask' }),
  createUpdate({ sessionUpdate: 'session_info_update', title: 't', updatedAt: '2026-11-28T00:00:00Z' }),
  createUpdate({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 1, currency: 'USD' } }),
  createUpdate({
    sessionUpdate: 'agent_message_chunk',
    content: text,
    _meta: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cachedReadTokens: 1 } },
  }),
  createUpdate({ sessionUpdate: 'tool_call', ...CALL }),
  createUpdate({ sessionUpdate: 'tool_call_update', ...CALL }),
  {
    id: 'request',
    method: 'session/request_permission',
    params: { sessionId: 's1', toolCall: CALL, options: [{ optionId: 'o', name: 'O', kind: 'allow_once' }] },
  },
  { id: 1e9, error: { code: -32000, message: 'no' } },
];

/** An object that can't be converted to text or to a number. */
const UNCONVERTIBLE = JSON.parse(
  '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":-1,"__proto__":{"a":1}}',
) as object;
const HOSTILE_VALUES: unknown[] = [UNCONVERTIBLE, null, true, -1.5, '', [], [UNCONVERTIBLE], '@deep'];

/** Returns copies of a value, in each of which one member, element or the whole is replaced. */
function replaceEach(value: unknown, replacement: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [replacement];
  const replaced = Object.entries(value).flatMap(([key, item]) =>
    replaceEach(item, replacement).map((each) =>
      Array.isArray(value) ? Object.assign([...(value as unknown[])], { [key]: each }) : { ...value, [key]: each },
    ),
  );
  return [replacement, ...replaced];
}

const connections: AgentConnection[] = [];
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.stop()));
});

async function openSession(results: object = RESULTS) {
  const command = [process.execPath, '-e', AGENT_PROGRAM, JSON.stringify(results)];
  const connection = await AgentConnection.start(
    { name: 'hostile', command, environmentNames: [], mode: 'ask' },
    tmpdir(),
    { limits: { ...DEFAULT_AGENT_LIMITS, startTimeoutMs: 10_000 } },
  );
  connections.push(connection);
  return (await connection.openSession({ cwd: tmpdir(), agentSessionId: null })).session;
}

const prompt = (session: Awaited<ReturnType<typeof openSession>>, lines: string[], answer: object) =>
  session.prompt(JSON.stringify({ lines, answer }), new RecordedTurn((request) => request.cancel()));
/** Returns the result, or that an agent has failed, which is the only error that callers expect. */
const describeOutcome = (result: Promise<string>) =>
  result.catch((error: unknown) => (error instanceof AgentError ? 'agent error' : String(error)));
const END = { result: { stopReason: 'end_turn' } };

describe('any JSON value in a message of an agent', () => {
  it.each(MESSAGES.map((message) => [JSON.stringify(message).slice(0, 90), message]))(
    'leaves the session usable: %s',
    async (_, message) => {
      const session = await openSession();
      for (const value of HOSTILE_VALUES) {
        const lines = replaceEach(message, value).map((each) => JSON.stringify(each));
        expect(await prompt(session, lines, END)).toEqual({ stopReason: 'end_turn' });
      }
    },
    30_000,
  );

  it('ends the turn in an answer to the prompt', async () => {
    const session = await openSession();
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const answers = [
      { result: { stopReason: 'end_turn', usage } },
      { result: { stopReason: 'end_turn', _meta: { quota: { token_count: { input_tokens: 1, output_tokens: 1 } } } } },
      { error: { code: -32603, message: 'no', data: 1 } },
    ];
    const outcomes: string[] = [];
    for (const answer of answers.flatMap((each) => HOSTILE_VALUES.flatMap((value) => replaceEach(each, value)))) {
      if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) continue;
      outcomes.push(await describeOutcome(prompt(session, [], answer).then(({ stopReason }) => stopReason)));
    }
    // Some values are ignored, and others fail the turn.
    expect(new Set(outcomes)).toEqual(new Set(['end_turn', 'agent error']));
    expect(await prompt(session, [], END)).toEqual({ stopReason: 'end_turn' });
  }, 30_000);

  it.each(
    replaceEach(RESULTS, UNCONVERTIBLE)
      .slice(1)
      .map((results) => [JSON.stringify(results), results as object]),
  )('opens a session or fails it with an agent error: %s', async (_, results) => {
    expect(['opened', 'agent error']).toContain(await describeOutcome(openSession(results).then(() => 'opened')));
  });
});
