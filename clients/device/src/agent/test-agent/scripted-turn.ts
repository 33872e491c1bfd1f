import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcError } from '../json-rpc-peer';
import {
  askQuestion,
  askQuestionsByPermission,
  dieInTool,
  elicit,
  reportCommand,
  runCommand,
  sendFile,
  sendPicture,
  useFileTool,
  useLargeTool,
  useSlowTool,
  useTerminal,
  useTool,
  useWaitingTool,
} from './scripted-tools';
import { chunk, createCallId, say, waitForFile, writeRaw, type ScriptedTurn } from './turn-context';

type Step = (turn: ScriptedTurn, rest: string) => Promise<string | void> | string | void;

const OPTIONS = [
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
/** As Qwen Code offers them: two of the same kind. */
const TWO_ALLOW_OPTIONS = [
  { optionId: 'first', name: 'Allow this file', kind: 'allow_once' },
  { optionId: 'second', name: 'Allow all edits', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

/** Each step is one line of the prompt: a word and its arguments. A step that returns a stop reason ends the turn. */
const STEPS: Record<string, [help: string, step: Step]> = {
  help: ['lists the steps', (turn) => say(turn, formatHelp())],
  say: ['TEXT: answers', (turn, rest) => say(turn, rest)],
  picture: ['NAME: says a picture, called so', (turn, rest) => sendPicture(turn, rest)],
  file: ['NAME TEXT: says a file', (turn, rest) => sendFile(turn, rest)],
  'file-tool': ['NAME BYTES: uses a tool whose output is a file', (turn, rest) => useFileTool(turn, rest)],
  blocks: ['says the blocks of the prompt besides its text', (turn) => say(turn, JSON.stringify(turn.blocks))],
  think: ['TEXT: reports a thought', (turn, rest) => turn.sendUpdate(chunk('agent_thought_chunk', rest))],
  plan: ['A|B: announces a plan of which the first step is done', (turn, rest) => announcePlan(turn, rest)],
  name: [
    'TITLE: calls the session so',
    (turn, title) => turn.sendUpdate({ sessionUpdate: 'session_info_update', title }),
  ],
  context: ['USED SIZE COST: reports its context, and the cost of the session', reportContext],
  stop: ['REASON: ends the turn for this reason', (_, rest) => rest],
  fail: ['CODE TEXT: answers the prompt with an error', (_, rest) => fail(rest)],
  'fail-inside': ['CODE TEXT: the same, with the text in the data of the error', (_, rest) => fail(rest, true)],
  'wait-for': ['FILE: waits until the file exists', (turn, rest) => waitForFile(turn, rest)],
  create: ['FILE TEXT: creates a file without asking; \\n in the text is a line break', createFile],
  wait: ['MS: waits', (turn, rest) => sleep(Number(rest), undefined, { signal: turn.signal })],
  tool: ['OUTPUT: uses a tool', (turn, rest) => useTool(turn, rest)],
  'update-tool': ['OUTPUT: uses a tool, reported by updates only', (turn, rest) => useTool(turn, rest, false)],
  'terminal-tool': ['CODE OUTPUT: uses a tool that shows a terminal', (turn, rest) => useTerminal(turn, rest)],
  'slow-tool': ['MS: uses a tool that takes this long', (turn, rest) => useSlowTool(turn, Number(rest))],
  'waiting-tool': ['OUTPUT: uses a tool that waits for the file tool', (turn, rest) => useWaitingTool(turn, rest)],
  'large-tool': ['BYTES: uses a tool with an output of this size', (turn, rest) => useLargeTool(turn, Number(rest))],
  'begin-tool': ['ID: begins a command', (turn, rest) => reportCommand(turn, rest, 'in_progress')],
  'end-tool': ['ID: ends a command, also of an earlier turn', (turn, rest) => reportCommand(turn, rest, 'completed')],
  later: ['MS STEP ; STEP: does the steps by itself after this time', (turn, rest) => doLater(turn, rest)],
  run: ['COMMAND: asks, then runs a command that no cancellation stops', (turn, rest) => askAndRun(turn, rest)],
  'run-unasked': ['COMMAND: runs such a command without asking', (turn, rest) => runCommand(turn, rest, 'in_progress')],
  edit: ['FILE TEXT: asks, then writes the text to a file', (turn, rest) => editFile(turn, rest)],
  ask: ['asks for a permission', (turn) => askAndSay(turn, createCallId())],
  'ask-twice': ['asks two times for the same call', (turn) => askTwice(turn)],
  'ask-and-change': ['MODE: asks, and changes the mode meanwhile', (turn, rest) => askAndChange(turn, rest)],
  'ask-choice': ['offers two ways to allow', (turn) => askAndSay(turn, createCallId(), TWO_ALLOW_OPTIONS)],
  question: ['[SCHEMA]: asks with a form, and says the response', (turn, rest) => askQuestion(turn, rest)],
  'question-by-permission': ['asks as Qwen Code does, and says the response', askQuestionsByPermission],
  elicit: ['PARAMS: the same with these parameters', (turn, rest) => elicit(turn, rest)],
  'question-and-end': ['ends the turn while a form is open', (turn) => void askQuestion(turn, '').catch(() => {})],
  'ask-and-end': ['ends the turn while a question is open', (turn) => void ask(turn, 'call-open')],
  memory: ['says the earlier prompts', (turn) => say(turn, turn.earlierPrompts.join(' | ') || 'nothing')],
  mode: ['says the mode', (turn) => say(turn, `${turn.mode}, ${turn.isModeSet ? 'set by the client' : 'the default'}`)],
  'change-mode': ['MODE: changes the mode by itself', (turn, rest) => turn.changeMode(rest)],
  'allow-all': ['on|off: switches by itself whether it asks', (turn, rest) => turn.switchAllowAll(rest)],
  'await-steering': ['says the first message that joins the turn', (turn) => awaitSteering(turn)],
  options: [
    'says the model and the effort, and whether it is fast',
    (turn) => {
      const { model, effort, fast } = turn.chosenOptions;
      say(turn, `${model}, ${effort}${fast ? ', fast' : ''}`);
    },
  ],
  'change-model': ['MODEL: chooses a model by itself', (turn, rest) => turn.switchModel(rest)],
  'change-mode-later': [
    'MODE: changes the mode when the turn has ended',
    (turn, rest) => void setTimeout(() => turn.changeMode(rest), 100),
  ],
  environment: ['NAME: says a variable', (turn, rest) => say(turn, process.env[rest] ?? 'not set')],
  hang: ['does nothing, also when cancelled', () => new Promise(() => undefined)],
  'ignore-cancel': ['completes the turn when it is cancelled', (turn) => completeWhenCancelled(turn)],
  silent: ['does nothing until it is cancelled', (turn) => sleep(1e9, undefined, { signal: turn.signal })],
  crash: ['exits with status 3', () => process.exit(3)],
  kill: ['uses a tool and dies by a signal', (turn) => dieInTool(turn)],
  flood: ['BYTES: writes that much without a line break', (_, rest) => writeFlood(Number(rest))],
  garbage: ['LINES: writes lines that are not JSON', (_, rest) => writeRaw('not JSON\n'.repeat(Number(rest)))],
  updates: ['COUNT: sends that many chunks of one message', (turn, rest) => sendChunks(turn, Number(rest))],
  unknown: ['sends an unknown notification, update and request', (turn) => sendUnknown(turn)],
  errors: ['TEXT: writes to standard error', (_, rest) => void process.stderr.write(`${rest}\n`)],
  child: ['leaves a process that keeps the pipes open', (turn) => leaveChild(turn)],
};

/** Runs the steps of a prompt and returns the turn's stop reason. Other text is repeated as the answer. */
export async function runScript(text: string, turn: ScriptedTurn): Promise<string> {
  try {
    for (const line of text.split('\n').flatMap((part) => part.trim() || [])) {
      const [word = '', ...rest] = line.split(' ');
      const step = STEPS[word]?.[1] ?? (() => say(turn, `You said: ${line}`));
      const stopReason = await step(turn, rest.join(' '));
      if (stopReason) return stopReason;
      if (turn.signal.aborted) return 'cancelled';
    }
    return 'end_turn';
  } catch (error) {
    if (turn.signal.aborted) return 'cancelled';
    throw error;
  }
}

const formatHelp = (): string =>
  Object.entries(STEPS)
    .map(([word, [help]]) => `${word} ${help}`)
    .join('\n');

function fail(rest: string, isInside = false): never {
  const [code, ...words] = rest.split(' ');
  const text = words.join(' ') || 'As requested';
  if (isInside) throw new JsonRpcError(Number(code), 'Internal error', { details: text });
  throw new JsonRpcError(Number(code), text);
}

function reportContext(turn: ScriptedTurn, rest: string): void {
  const [used, size, amount] = rest.split(' ').map(Number);
  turn.sendUpdate({ sessionUpdate: 'usage_update', used, size, cost: { amount, currency: 'USD' } });
}

function announcePlan(turn: ScriptedTurn, rest: string): void {
  const entries = rest.split('|').map((content, index) => {
    const status = index === 0 ? 'completed' : index === 1 ? 'in_progress' : 'pending';
    return { content, status, priority: 'medium' };
  });
  turn.sendUpdate({ sessionUpdate: 'plan', entries });
}

function doLater(turn: ScriptedTurn, rest: string): void {
  const [ms, ...words] = rest.split(' ');
  const steps = words.join(' ').replaceAll(' ; ', '\n');
  // Like agents that go on after a cancellation.
  const { signal } = new AbortController();
  setTimeout(() => void runScript(steps, { ...turn, signal }).catch(() => undefined), Number(ms));
}

async function awaitSteering(turn: ScriptedTurn): Promise<void> {
  while (turn.steeredTexts.length === 0) await sleep(20, undefined, { signal: turn.signal });
  say(turn, `told: ${turn.steeredTexts.join(' | ')}`);
}

/** Like Codex, calls the command `pending` until it has ended, and ends the turn if it is rejected. */
async function askAndRun(turn: ScriptedTurn, command: string): Promise<string | void> {
  const call = { title: 'Run a command', kind: 'execute', rawInput: { command } };
  const toolCallId = createCallId();
  turn.sendUpdate({ sessionUpdate: 'tool_call', ...call, toolCallId, status: 'pending' });
  const answer = await ask(turn, toolCallId, OPTIONS, call);
  if (turn.signal.aborted || answer === 'no') return 'cancelled';
  await runCommand(turn, command, 'pending', toolCallId);
}

function createFile({ cwd }: ScriptedTurn, rest: string): void {
  const [name = '', ...words] = rest.split(' ');
  writeFileSync(join(cwd, name), words.join(' ').replaceAll('\\n', '\n'));
}

async function editFile(turn: ScriptedTurn, rest: string): Promise<void> {
  const [name = '', ...words] = rest.split(' ');
  const path = join(turn.cwd, name);
  const newText = `${words.join(' ')}\n`;
  const oldText = existsSync(path) ? readFileSync(path, 'utf8') : null;
  const toolCallId = createCallId();
  const content = [{ type: 'diff', path, oldText, newText }];
  const call = { toolCallId, title: `Edit ${name}`, kind: 'edit', rawInput: { path, text: newText }, content };
  turn.sendUpdate({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
  const isAllowed = !turn.isAsking || (await ask(turn, toolCallId, OPTIONS, call)) !== 'no';
  if (turn.signal.aborted) return;
  if (isAllowed) writeFileSync(path, newText);
  turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'completed' : 'failed' });
  say(turn, isAllowed ? `I have changed ${name}.` : `I have not changed ${name}.`);
}

async function ask(turn: ScriptedTurn, toolCallId: string, options = OPTIONS, call: object = {}): Promise<string> {
  const toolCall = { title: 'Delete the build', kind: 'delete', rawInput: { path: 'dist' }, ...call, toolCallId };
  const answer = await turn.sendRequest('session/request_permission', { toolCall, options });
  const { outcome } = answer as { outcome: { outcome: string; optionId?: string } };
  return outcome.optionId ?? outcome.outcome;
}

async function askAndSay(turn: ScriptedTurn, toolCallId: string, options = OPTIONS): Promise<void> {
  say(turn, `answer: ${await ask(turn, toolCallId, options)}`);
}

async function askAndChange(turn: ScriptedTurn, mode: string): Promise<void> {
  const asked = askAndSay(turn, createCallId());
  turn.changeMode(mode);
  await asked;
}

async function askTwice(turn: ScriptedTurn): Promise<void> {
  const toolCallId = createCallId();
  const answers = await Promise.all([ask(turn, toolCallId), ask(turn, toolCallId)]);
  say(turn, `answers: ${answers.join(' ')}`);
}

async function writeFlood(bytes: number): Promise<void> {
  const block = 'x'.repeat(64 * 1024);
  for (let written = 0; written < bytes; written += block.length) await writeRaw(block);
  await writeRaw('\n');
}

async function sendChunks(turn: ScriptedTurn, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    turn.sendUpdate(chunk('agent_message_chunk', `${sent} `));
    if (sent % 100 === 99) await sleep(100, undefined, { signal: turn.signal });
  }
}

async function sendUnknown(turn: ScriptedTurn): Promise<void> {
  turn.sendNotification('_vendor/notice');
  turn.sendUpdate({ sessionUpdate: 'vendor_update' });
  const answer = await turn
    .sendRequest('fs/read_text_file', { path: '/etc/hostname' })
    .catch((error: unknown) => error);
  say(turn, `error ${(answer as { code?: number }).code}`);
}

function completeWhenCancelled({ signal }: ScriptedTurn): Promise<string> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('end_turn')));
}

function leaveChild(turn: ScriptedTurn): void {
  const { pid } = spawn('sleep', ['60'], { stdio: 'inherit' });
  say(turn, String(pid));
}
