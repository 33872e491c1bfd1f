/**
 * An agent without a model: it speaks the Agent Client Protocol and does what the lines of the prompt say. It serves
 * the tests and the quickstart. The prompt `help` lists what it can do.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcError, JsonRpcPeer } from '../json-rpc-peer';
import { createAllowAllOption, createModeOption, getModes } from './agent-modes';
import { chooseOption, createChosenOptions, createModels, createOfferedOptions } from './agent-options';
import { runScript } from './scripted-turn';
import { createLyingList, SessionStore, type AgentTestSession } from './session-store';
import { beginSteering, endSteering, steer, type ScriptedTurn } from './turn-context';

/** Variables that the tests start the agent with. They need `--agent-env`, so they test this as well. */
const { TEST_AGENT_FOLDER, TEST_AGENT_OPTIONS = '' } = process.env;
const options = new Set(TEST_AGENT_OPTIONS.split(','));
const modes = getModes(options);
const FRESH_MS = 4_000;

const store = new SessionStore(TEST_AGENT_FOLDER);

/** Tokens of all turns so far, as the protocol has agents report them. */
const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

const sessions = new Map<string, AgentTestSession>();
const runningTurns = new Map<string, AbortController>();

const peer = new JsonRpcPeer(process.stdin, process.stdout, {
  handleRequest: (method, params) => handleRequest(method, params as Record<string, unknown>),
  handleNotification: (method, params) => {
    if (method === 'session/cancel') runningTurns.get((params as { sessionId: string }).sessionId)?.abort();
  },
  handleViolation: (reason) => {
    console.error(reason);
    process.exit(1);
  },
});
process.stdin.on('end', () => process.exit(0));

function handleRequest(method: string, params: Record<string, unknown>): unknown {
  switch (method) {
    case 'initialize':
      return initialize();
    case 'session/new':
      return openSession(createSessionId(), {
        cwd: String(params.cwd),
        // As newest agents do, whose default is a mode in which they decide by themselves.
        mode: modes[options.has('deciding') ? 1 : 0]!.id,
        allowAll: options.has('allow-all') ? 'on' : 'off',
        isModeSet: false,
        prompts: [],
        chosen: createChosenOptions(),
      });
    case 'session/load':
      failLoad();
      if (options.has('fresh-loss')) return repeatPrompts(openFreshSession(String(params.sessionId)));
      return repeatPrompts(openSession(String(params.sessionId), store.loadSession(String(params.sessionId))));
    case 'session/resume':
      if (options.has('false-resume')) break;
      failLoad();
      return openSession(String(params.sessionId), store.loadSession(String(params.sessionId)));
    case 'session/fork':
      return openSession(`${createSessionId()}-copy`, store.loadSession(String(params.sessionId)));
    case 'session/list':
      return options.has('lying-list') ? createLyingList(params, process.cwd()) : store.listSessions(params);
    case 'session/set_mode':
      return setMode(params, params.modeId).then(() => ({}));
    case 'session/set_config_option':
      return setOption(params).then(() => ({ configOptions: createOptions(getSession(params)) }));
    case 'session/set_model':
      return chooseModel(params);
    case '_session/steering':
      return steer(params as never, options);
    case 'session/prompt':
      return prompt(params);
  }
  throw new JsonRpcError(-32601, 'Method not found');
}

const createSessionId = () => `session-${Date.now()}-${process.pid}`;

function initialize() {
  if (options.has('silent-start')) return new Promise(() => setInterval(() => undefined, 60_000));
  return {
    protocolVersion: options.has('version-2') ? 2 : 1,
    agentCapabilities: {
      loadSession: !options.has('no-load'),
      promptCapabilities: { image: options.has('images'), embeddedContext: options.has('embedded-context') },
      sessionCapabilities: {
        ...(!options.has('no-list') && { list: {} }),
        ...(!options.has('no-fork') && { fork: {} }),
        ...((options.has('resume') || options.has('false-resume')) && { resume: {} }),
      },
    },
    agentInfo: {
      name: options.has('fresh-loss') ? 'gemini-cli' : 'test-agent',
      title: 'Test agent',
      version: options.has('upgraded') ? '2.0.0' : '1.0.0',
    },
    authMethods: [],
    ...(options.has('steering') && { _meta: { steering: { supported: true } } }),
  };
}

function openSession(sessionId: string, session: AgentTestSession) {
  if (options.has('signed-out')) throw new JsonRpcError(-32000, 'Authentication required');
  sessions.set(sessionId, session);
  saveSession({ sessionId });
  if (options.has('commands')) announceCommands(sessionId);
  if (options.has('no-modes')) return { sessionId };
  return {
    sessionId,
    ...(options.has('models') && { models: createModels(session.chosen) }),
    ...(!options.has('config-options') && { modes: { currentModeId: session.mode, availableModes: modes } }),
    configOptions: createOptions(session),
  };
}

const createOptions = (session: AgentTestSession) => [
  ...(options.has('config-options') ? [createModeOption(session.mode, modes)] : []),
  createAllowAllOption(session.allowAll, options),
  ...createOfferedOptions(session.chosen, options),
];

function announceCommands(sessionId: string): void {
  const availableCommands = [{ name: 'compact', description: 'Summarizes\u{1b} the conversation' }, { name: 7 }];
  const update = { sessionUpdate: 'available_commands_update', availableCommands };
  setImmediate(() => peer.sendNotification('session/update', { sessionId, update }));
}

async function setMode(params: Record<string, unknown>, mode: unknown): Promise<void> {
  const session = getSession(params);
  if (options.has('slow-mode')) await sleep(500);
  const isFixed = options.has('fixed-mode') || (options.has('fixed-mode-once-set') && session.isModeSet);
  if (isFixed) throw new JsonRpcError(-32603, 'The mode is fixed');
  Object.assign(session, { mode: String(mode), isModeSet: true });
  saveSession(params);
  // An agent that doesn't do what it was asked.
  if (options.has('stubborn')) changeMode(params, 'auto');
}

async function setOption(params: Record<string, unknown>): Promise<void> {
  if (params.configId === 'approval') return setMode(params, params.value);
  const session = getSession(params);
  requireType(params);
  if (params.configId === 'allow_all') session.allowAll = [true, 'on'].includes(params.value as string) ? 'on' : 'off';
  else chooseOption(session.chosen, params.configId, params.value, options);
  saveSession(params);
  // As an agent whose models have modes of their own.
  if (options.has('deciding-large') && params.value === 'large') changeMode(params, 'auto');
}

/** Switches are set with booleans that are named as such, other options with texts. */
function requireType({ configId, type, value }: Record<string, unknown>): void {
  const isSwitch = options.has('switches') && (configId === 'allow_all' || configId === 'fast');
  if (isSwitch ? type !== 'boolean' || typeof value !== 'boolean' : typeof value !== 'string')
    throw new JsonRpcError(-32602, 'The value has another type');
}

function chooseModel(params: Record<string, unknown>): object {
  chooseOption(getSession(params).chosen, 'model', String(params.modelId), options);
  saveSession(params);
  return {};
}

/** Chooses another model by itself, as on a command of the prompt. */
function switchModel(params: Record<string, unknown>, model: string): void {
  const session = getSession(params);
  chooseOption(session.chosen, 'model', model, options);
  const update = { sessionUpdate: 'config_option_update', configOptions: createOptions(session) };
  peer.sendNotification('session/update', { sessionId: params.sessionId, update });
}

/** Switches by itself, as on a command of the prompt, what it asks about. */
function switchAllowAll(params: Record<string, unknown>, value: string): void {
  const session = getSession(params);
  session.allowAll = value;
  const update = { sessionUpdate: 'config_option_update', configOptions: createOptions(session) };
  peer.sendNotification('session/update', { sessionId: params.sessionId, update });
}

/** Changes the mode as agents do by themselves, and reports it in one of their two ways. */
function changeMode(params: Record<string, unknown>, mode: string): void {
  getSession(params).mode = mode;
  const update = options.has('config-options')
    ? { sessionUpdate: 'config_option_update', configOptions: createOptions(getSession(params)) }
    : { sessionUpdate: 'current_mode_update', currentModeId: mode };
  peer.sendNotification('session/update', { sessionId: params.sessionId, update });
}

async function prompt(params: Record<string, unknown>) {
  const session = getSession(params);
  const sessionId = params.sessionId as string;
  const blocks = params.prompt as { type: string; text?: string }[];
  const text = blocks.flatMap((block) => block.text ?? []).join('\n');
  const controller = new AbortController();
  runningTurns.set(sessionId, controller);
  const turn: ScriptedTurn = {
    sessionId,
    cwd: session.cwd,
    get mode() {
      return session.mode;
    },
    get isModeSet() {
      return session.isModeSet;
    },
    get isAsking() {
      return session.mode !== 'auto' && session.allowAll === 'off';
    },
    changeMode: (mode) => changeMode(params, mode),
    switchAllowAll: (value) => switchAllowAll(params, value),
    switchModel: (model) => switchModel(params, model),
    chosenOptions: session.chosen,
    steeredTexts: beginSteering(sessionId),
    earlierPrompts: [...session.prompts],
    blocks: blocks.filter(({ type }) => type !== 'text'),
    signal: controller.signal,
    sendUpdate: (update) => peer.sendNotification('session/update', { sessionId, update }),
    sendNotification: (method) => peer.sendNotification(method, { sessionId }),
    sendRequest: (method, more) => peer.sendRequest(method, { sessionId, ...more }),
  };
  // Some agents repeat the prompt before they answer.
  if (options.has('repeat-prompt'))
    for (const content of blocks) turn.sendUpdate({ sessionUpdate: 'user_message_chunk', content });
  session.prompts.push(text);
  saveSession(params);
  usage.inputTokens += text.length;
  usage.outputTokens += 7;
  usage.totalTokens += text.length + 7;
  const stopReason = await runScript(text, turn).finally(() => {
    runningTurns.delete(sessionId);
    endSteering(sessionId);
  });
  return { stopReason, usage };
}

function getSession({ sessionId }: Record<string, unknown>): AgentTestSession {
  const session = sessions.get(String(sessionId));
  if (!session) throw new JsonRpcError(-32602, 'Unknown session');
  return session;
}

function saveSession({ sessionId }: Record<string, unknown>): void {
  store.saveSession(String(sessionId), getSession({ sessionId }));
}

/**
 * As Gemini CLI, whose files have names with the minute, here with four seconds: a load within the one in which the
 * session was created begins the file anew, and the session is lost.
 */
function openFreshSession(sessionId: string) {
  const session = store.loadSession(sessionId);
  const [, createdAt = 0] = sessionId.split('-').map(Number);
  session.isLost ||= Math.floor(createdAt / FRESH_MS) === Math.floor(Date.now() / FRESH_MS);
  store.saveSession(sessionId, session);
  if (session.isLost) throw new JsonRpcError(-32603, 'Internal error', { details: 'Invalid session identifier.' });
  return openSession(sessionId, session);
}

/** Does what the file says as long as it is there: exits, or answers with an error. */
function failLoad(): void {
  const file = join(TEST_AGENT_FOLDER ?? '', 'load-error.json');
  if (!TEST_AGENT_FOLDER || !existsSync(file)) return;
  const { exitCode, code, message, data } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, never>;
  if (exitCode !== undefined) process.exit(exitCode);
  throw new JsonRpcError(code!, message!, data);
}

/**
 * Repeats the conversation before and after the answer, with `late-replay` only a while after it, and with
 * `orderly-replay` only before it, as agents should.
 */
function repeatPrompts<T extends { sessionId: string }>(opened: T): T {
  const { sessionId } = opened;
  const sendUpdate = (update: object) => peer.sendNotification('session/update', { sessionId, update });
  const repeat = (): void => {
    for (const text of getSession(opened).prompts) {
      sendUpdate({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
      sendUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `repeated ${text}` } });
      sendUpdate({ sessionUpdate: 'tool_call', toolCallId: 'repeated', kind: 'execute', status: 'completed' });
    }
  };
  if (!options.has('late-replay')) repeat();
  if (!options.has('orderly-replay')) setTimeout(repeat, options.has('late-replay') ? 1_000 : 100);
  return opened;
}
