import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCallId, say, waitForFile, writeRaw, type ScriptedTurn } from './turn-context';

/** A red dot. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

export function useTool(turn: ScriptedTurn, output: string, isAnnounced = true): void {
  const toolCallId = createCallId();
  const content = [{ type: 'content', content: { type: 'text', text: output } }];
  const call = { toolCallId, title: 'Run a command', kind: 'execute', status: 'in_progress' };
  turn.sendUpdate({ sessionUpdate: isAnnounced ? 'tool_call' : 'tool_call_update', ...call });
  turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
}

/** Like Codex: the output of a command is in `_meta`, in pieces that may end within a character. */
export function useTerminal(turn: ScriptedTurn, rest: string): void {
  const [code, ...words] = rest.split(' ');
  const toolCallId = createCallId();
  const terminal = { terminal_id: `terminal-${toolCallId}` };
  const content = [{ type: 'terminal', terminalId: terminal.terminal_id }];
  const sendUpdate = (update: object) => turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, ...update });
  sendUpdate({ sessionUpdate: 'tool_call', title: 'Run a command', kind: 'execute', status: 'in_progress', content });
  for (const data of words.join(' ').split('')) sendUpdate({ _meta: { terminal_output_delta: { ...terminal, data } } });
  const exit = { ...terminal, exit_code: Number(code), signal: null };
  sendUpdate({ status: Number(code) === 0 ? 'completed' : 'failed', _meta: { terminal_exit: exit } });
}

/** Writes the update itself and waits until it is read, which the peer doesn't. */
export async function useLargeTool(turn: ScriptedTurn, bytes: number): Promise<void> {
  const toolCallId = createCallId();
  const content = [{ type: 'content', content: { type: 'text', text: 'x'.repeat(bytes) } }];
  turn.sendUpdate({ sessionUpdate: 'tool_call', toolCallId, title: 'Read a picture', kind: 'read', content: [] });
  const update = { sessionUpdate: 'tool_call_update', toolCallId, content, status: 'completed' };
  const message = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: turn.sessionId, update } };
  await writeRaw(`${JSON.stringify(message)}\n`);
}

export async function useWaitingTool(turn: ScriptedTurn, output: string): Promise<void> {
  const toolCallId = createCallId();
  const content = [{ type: 'content', content: { type: 'text', text: output } }];
  const call = { toolCallId, title: 'Run the tests', kind: 'execute', status: 'in_progress' };
  turn.sendUpdate({ sessionUpdate: 'tool_call', ...call });
  turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, content });
  await waitForFile(turn, 'tool');
  turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
}

export function reportCommand(turn: ScriptedTurn, toolCallId: string, status: string): void {
  const isBegin = status === 'in_progress';
  const call = isBegin ? { title: 'Build', kind: 'execute' } : {};
  turn.sendUpdate({ sessionUpdate: isBegin ? 'tool_call' : 'tool_call_update', toolCallId, status, ...call });
}

export async function useSlowTool(turn: ScriptedTurn, ms: number): Promise<void> {
  const toolCallId = createCallId();
  turn.sendUpdate({
    sessionUpdate: 'tool_call',
    toolCallId,
    title: 'Run the tests',
    kind: 'execute',
    status: 'in_progress',
  });
  await sleep(ms, undefined, { signal: turn.signal });
  turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
}

export async function runCommand(
  turn: ScriptedTurn,
  command: string,
  status: string,
  toolCallId = createCallId(),
): Promise<void> {
  const child = spawn('sh', ['-c', command], { stdio: 'ignore' });
  turn.sendUpdate({ sessionUpdate: 'tool_call', toolCallId, title: 'Run a command', kind: 'execute', status });
  say(turn, String(child.pid));
  await once(child, 'exit', { signal: turn.signal });
  turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
}

export function dieInTool(turn: ScriptedTurn): Promise<never> {
  turn.sendUpdate({
    sessionUpdate: 'tool_call',
    toolCallId: 'call-dying',
    title: 'Run the tests',
    status: 'in_progress',
  });
  setImmediate(() => process.kill(process.pid, 'SIGKILL'));
  return new Promise(() => undefined);
}

const sendBlock = (turn: ScriptedTurn, content: object) =>
  turn.sendUpdate({ sessionUpdate: 'agent_message_chunk', content });

/** Calls it a JPEG, as agents do that don't look at what they send. */
export function sendPicture(turn: ScriptedTurn, name: string): void {
  sendBlock(turn, { type: 'image', mimeType: 'image/jpeg', data: PICTURE, uri: name && `file:///tmp/${name}` });
}

export function sendFile(turn: ScriptedTurn, rest: string): void {
  const [name = '', ...words] = rest.split(' ');
  sendBlock(turn, { type: 'resource', resource: { uri: name, text: words.join(' ') } });
}

/** Sends the file while the tool runs, and again with its end, as agents do. */
export function useFileTool(turn: ScriptedTurn, rest: string): void {
  const [name = '', bytes] = rest.split(' ');
  const toolCallId = createCallId();
  const resource = { uri: `file:///tmp/${name}`, blob: Buffer.alloc(Number(bytes), name).toString('base64') };
  const content = [{ type: 'content', content: { type: 'resource', resource } }];
  const call = { toolCallId, title: 'Draw a chart', kind: 'other', content };
  turn.sendUpdate({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
  turn.sendUpdate({ sessionUpdate: 'tool_call_update', ...call, status: 'completed' });
}

/** As an agent asks that wants to know how to go on. */
const DATABASE_FORM = {
  type: 'object',
  title: 'Choose a database',
  properties: {
    database: {
      type: 'string',
      title: 'Database',
      oneOf: [
        { const: 'postgres', title: 'PostgreSQL', description: 'A server' },
        { const: 'sqlite', title: 'SQLite', description: 'A file' },
      ],
      default: 'postgres',
    },
    port: { type: 'integer', title: 'Port', minimum: 1024, maximum: 65_535 },
    tests: { type: 'boolean', title: 'Write tests', default: true },
  },
  required: ['database'],
};

/** As Qwen Code asks with its tool `ask_user_question`. @param json questions; by default two about databases */
export async function askQuestionsByPermission(turn: ScriptedTurn, json: string): Promise<void> {
  const qwenQuestions: unknown = json === '' ? DATABASE_QUESTIONS : JSON.parse(json);
  const toolCall = {
    toolCallId: createCallId(),
    title: 'Ask user 2 questions',
    kind: 'think',
    status: 'pending',
    rawInput: { questions: qwenQuestions },
    _meta: { toolName: 'ask_user_question', qwenInteractionKind: 'user_question', qwenQuestions },
  };
  const options = [
    { optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' },
    { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' },
  ];
  const response = JSON.stringify(await turn.sendRequest('session/request_permission', { toolCall, options }));
  say(turn, response.replaceAll('\u200b', '\\u200b'));
}

const DATABASE_QUESTIONS = [
  {
    question: 'Which database shall I use?',
    header: 'Database',
    options: [
      { label: 'PostgreSQL', description: 'A server' },
      { label: 'SQLite\u200b', description: 'A file' },
    ],
  },
  {
    question: 'What shall I write?',
    header: 'Parts',
    multiSelect: true,
    options: [
      { label: 'Tests', description: 'In test/' },
      { label: 'Documents', description: 'In docs/' },
    ],
  },
];

/** @param json schema of the form; by default one about databases */
export function askQuestion(turn: ScriptedTurn, json: string): Promise<void> {
  const requestedSchema: unknown = json === '' ? DATABASE_FORM : JSON.parse(json);
  return elicit(turn, { mode: 'form', message: 'Which database shall I use?', requestedSchema });
}

/** @param json parameters of the request */
export async function elicit(turn: ScriptedTurn, json: string | Record<string, unknown>): Promise<void> {
  const params = typeof json === 'string' ? (JSON.parse(json) as Record<string, unknown>) : json;
  const { action, content } = (await turn.sendRequest('elicitation/create', params)) as Record<string, unknown>;
  say(turn, `${String(action)}${content === undefined ? '' : ` ${JSON.stringify(content)}`}`);
}
