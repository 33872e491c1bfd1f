import { createRecordedClient } from '../../typescript/src/testing/recorded-client.ts';
import { createMachineTools } from './machine-tools.ts';
import { createOptionTools } from './option-tools.ts';
import type { OwnToken } from './own-token.ts';
import { createSessionTools } from './session-tools.ts';

const SESSION = { data: { id: 'ses_1', activity: 'idle', contentGranted: false } };
const NO_PAGE = { data: [], nextCursor: null };
const CALL = { signal: new AbortController().signal, reportState: () => undefined };

/** Calls a tool as the SDK does, with an input that its schema has read. */
async function callTool(name: string, input: Record<string, unknown>, answers: Record<string, object> = {}) {
  const { client, requests } = createRecordedClient(answers);
  const token = { read: () => Promise.resolve({ id: 'tok_1', scopes: [] }) } as unknown as OwnToken;
  const tools = [
    ...createMachineTools(client, token),
    ...createSessionTools(client, token),
    ...createOptionTools(client),
  ];
  const tool = tools.find((each) => each.name === name)!;
  const result = await tool.run(tool.inputSchema.parse(input), CALL).catch(() => null);
  return { tool, requests, result };
}

const machineId = 'mch_1';
const sessionId = 'ses_1';

describe('a tool passes all of its arguments on', () => {
  it.each<[tool: string, input: Record<string, unknown>, call: string, sent: { query?: object; body?: object }]>([
    ['list_machines', { state: 'online' }, 'GET /machines', { query: { state: 'online' } }],
    [
      'list_agent_sessions',
      { machineId, agent: 'claude', cwd: '/srv', cursor: 'next' },
      `GET /machines/${machineId}/agent-sessions`,
      { query: { agent: 'claude', cwd: '/srv', cursor: 'next' } },
    ],
    [
      'start_session',
      { machineId, agent: 'claude', cwd: '/srv', resume: 'a-1', fork: true, options: { model: 'opus' } },
      `POST /machines/${machineId}/sessions`,
      { body: { agent: 'claude', cwd: '/srv', resume: 'a-1', fork: true, options: { model: 'opus' } } },
    ],
    [
      'run_command',
      { machineId, command: 'make', args: ['all'], cwd: '/srv', timeoutSeconds: 7 },
      `POST /machines/${machineId}/invocations`,
      { body: { command: 'make', args: ['all'], cwd: '/srv', timeoutMs: 7_000 } },
    ],
    [
      'list_sessions',
      { state: 'ended', machineId, limit: 3 },
      'GET /sessions',
      { query: { state: 'ended', machineId, limit: '3' } },
    ],
    [
      'read_session',
      { sessionId, limit: 3, beforeSeq: 9 },
      `GET /sessions/${sessionId}/messages`,
      { query: { limit: '3', beforeSeq: '9' } },
    ],
    [
      'send_message',
      {
        sessionId,
        text: 'hello',
        ifBusy: 'reject',
        waitSeconds: 1,
        attachments: [{ name: 'a.txt', data: 'YQ==' }],
      },
      `POST /sessions/${sessionId}/messages`,
      { body: { content: 'hello', ifBusy: 'reject', waitMs: 1_000, attachments: [{ name: 'a.txt', data: 'YQ==' }] } },
    ],
    ['read_session_options', { sessionId }, `GET /sessions/${sessionId}/options`, {}],
    [
      'change_session_options',
      { sessionId, values: { model: 'opus' } },
      `PATCH /sessions/${sessionId}/options`,
      { body: { model: 'opus' } },
    ],
  ])('%s', async (name, input, call, sent) => {
    const { tool, requests } = await callTool(name, input, { [`GET /sessions/${sessionId}`]: SESSION });
    expect(Object.keys(input).sort()).toEqual(Object.keys(tool.inputSchema.shape).sort());
    expect(requests).toContainEqual(expect.objectContaining({ call, ...sent }));
  });
});

describe('a tool without optional arguments', () => {
  it.each<[tool: string, input: Record<string, unknown>, sent: object]>([
    ['run_command', { machineId, command: 'make' }, { body: { command: 'make', args: [], timeoutMs: 50_000 } }],
    ['list_sessions', {}, { query: { limit: '20' } }],
    ['read_session', { sessionId }, { query: { limit: '10' } }],
    ['send_message', { sessionId, text: 'hello' }, { body: { content: 'hello', ifBusy: 'queue', waitMs: 3_000 } }],
  ])('%s has the defaults that its schema names', async (name, input, sent) => {
    const { requests } = await callTool(name, input, { [`GET /sessions/${sessionId}`]: SESSION });
    expect(requests).toContainEqual(expect.objectContaining(sent));
  });
});

it('lists up to 200 machines', async () => {
  const machines = Array.from({ length: 201 }, (_, n) => ({ id: `mch_${n}` }));
  const { result } = await callTool('list_machines', {}, { 'GET /machines': { data: machines, nextCursor: null } });
  expect(result!.machines).toHaveLength(200);
});

it('reads the five latest turns of a session', async () => {
  const { requests } = await callTool(
    'read_session',
    { sessionId },
    {
      [`GET /sessions/${sessionId}`]: SESSION,
      [`GET /sessions/${sessionId}/messages`]: NO_PAGE,
      [`GET /sessions/${sessionId}/turns`]: NO_PAGE,
    },
  );
  expect(requests.at(-1)).toMatchObject({ call: `GET /sessions/${sessionId}/turns`, query: { limit: '5' } });
});
