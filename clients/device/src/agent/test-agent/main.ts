/**
 * An agent without a model: it speaks the Agent Client Protocol and does what the lines of the prompt say. It serves
 * the tests and the quickstart. The prompt `help` lists what it can do.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonRpcError, JsonRpcPeer } from '../json-rpc-peer';
import { runScript, type ScriptedTurn } from './scripted-turn';

const MODES = [
  { id: 'ask', name: 'Ask before each change' },
  { id: 'auto', name: 'Change files without asking' },
];

/** Variables that the tests start the agent with. They need `--agent-env`, so they test this as well. */
const { TEST_AGENT_FOLDER, TEST_AGENT_OPTIONS = '' } = process.env;
const options = new Set(TEST_AGENT_OPTIONS.split(','));

interface AgentTestSession {
  cwd: string;
  mode: string;
  /** Whether the client has set the mode, instead of relying on the default. */
  isModeSet: boolean;
  prompts: string[];
}

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
      return openSession(`session-${Date.now()}-${process.pid}`, {
        cwd: String(params.cwd),
        mode: 'ask',
        isModeSet: false,
        prompts: [],
      });
    case 'session/load':
      return openSession(String(params.sessionId), loadSession(String(params.sessionId)));
    case 'session/set_mode':
      setMode(params, params.modeId);
      return {};
    case 'session/set_config_option':
      setMode(params, params.value);
      return { configOptions: [createModeOption(getSession(params).mode)] };
    case 'session/prompt':
      return prompt(params);
    default:
      throw new JsonRpcError(-32601, 'Method not found');
  }
}

function initialize() {
  if (options.has('silent-start')) return new Promise(() => setInterval(() => undefined, 60_000));
  return {
    protocolVersion: options.has('version-2') ? 2 : 1,
    agentCapabilities: { loadSession: !options.has('no-load') },
    agentInfo: { name: 'test-agent', title: 'Test agent', version: '1.0.0' },
    authMethods: [],
  };
}

function openSession(sessionId: string, session: AgentTestSession) {
  if (options.has('signed-out')) throw new JsonRpcError(-32000, 'Authentication required');
  sessions.set(sessionId, session);
  saveSession({ sessionId });
  const modes = options.has('config-options')
    ? { configOptions: [createModeOption(session.mode)] }
    : { modes: { currentModeId: session.mode, availableModes: MODES } };
  return { sessionId, ...modes };
}

const createModeOption = (currentValue: string) => ({
  id: 'approval',
  name: 'Approval',
  category: 'mode',
  type: 'select',
  currentValue,
  options: MODES.map(({ id, name }) => ({ value: id, name })),
});

function setMode(params: Record<string, unknown>, mode: unknown): void {
  Object.assign(getSession(params), { mode: String(mode), isModeSet: true });
  saveSession(params);
}

async function prompt(params: Record<string, unknown>) {
  const session = getSession(params);
  const sessionId = params.sessionId as string;
  const text = (params.prompt as { text?: string }[]).map((block) => block.text ?? '').join('\n');
  const controller = new AbortController();
  runningTurns.set(sessionId, controller);
  const turn: ScriptedTurn = {
    sessionId,
    cwd: session.cwd,
    mode: session.mode,
    isModeSet: session.isModeSet,
    earlierPrompts: [...session.prompts],
    signal: controller.signal,
    sendUpdate: (update) => peer.sendNotification('session/update', { sessionId, update }),
    sendNotification: (method) => peer.sendNotification(method, { sessionId }),
    sendRequest: (method, more) => peer.sendRequest(method, { sessionId, ...more }),
  };
  session.prompts.push(text);
  saveSession(params);
  const usage = { inputTokens: text.length, outputTokens: 7, totalTokens: text.length + 7 };
  const stopReason = await runScript(text, turn).finally(() => runningTurns.delete(sessionId));
  return { stopReason, usage };
}

function getSession({ sessionId }: Record<string, unknown>): AgentTestSession {
  const session = sessions.get(String(sessionId));
  if (!session) throw new JsonRpcError(-32602, 'Unknown session');
  return session;
}

/** Sessions last as long as their folder. Without one they end with the process. */
function saveSession({ sessionId }: Record<string, unknown>): void {
  if (!TEST_AGENT_FOLDER) return;
  mkdirSync(TEST_AGENT_FOLDER, { recursive: true });
  writeFileSync(join(TEST_AGENT_FOLDER, `${String(sessionId)}.json`), JSON.stringify(getSession({ sessionId })));
}

function loadSession(sessionId: string): AgentTestSession {
  try {
    const file = join(TEST_AGENT_FOLDER ?? '', `${sessionId}.json`);
    return JSON.parse(readFileSync(file, 'utf8')) as AgentTestSession;
  } catch {
    throw new JsonRpcError(-32602, 'Unknown session');
  }
}
