import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FOLDER, ensureServiceBuilt } from '../../../../../test/support/ensure-service-built';
import { AgentConnection } from '../agent-connection';
import { DEFAULT_AGENT_LIMITS, type AgentLimits } from '../agent-limits';
import type {
  AgentCommand,
  AgentPermissionRequest,
  AgentSession,
  AgentTurnListener,
  ToolCallRecord,
} from '../agent-session';
import type { ModeRule, OptionRequest } from '../agent-settings';

const TEST_AGENT = join(BUILD_FOLDER, 'clients', 'device', 'src', 'agent', 'test-agent', 'main.js');

/** The test agent runs from the build, in a process of its own. Call this in `beforeAll`. */
export const buildTestAgent = ensureServiceBuilt;

/** Returns the command of a test agent. `TEST_AGENT_OPTIONS` and `TEST_AGENT_FOLDER` of this process reach it. */
export function createTestAgentCommand(options: Partial<AgentCommand> = {}): AgentCommand {
  const environmentNames = ['TEST_AGENT_OPTIONS', 'TEST_AGENT_FOLDER'];
  return { name: 'test', command: [process.execPath, TEST_AGENT], environmentNames, mode: null, ...options };
}

const connections = new Set<AgentConnection>();

export interface TestAgentOptions extends Partial<AgentCommand> {
  /** Options of the agent, see `test-agent/main.ts`. */
  behavior?: string;
  limits?: Partial<AgentLimits>;
  cwd?: string;
  modeRule?: ModeRule;
  options?: OptionRequest;
}

export async function startTestAgent(options: TestAgentOptions = {}): Promise<AgentConnection> {
  const { behavior = '', limits = {}, cwd = process.cwd(), modeRule: _, options: __, ...command } = options;
  process.env.TEST_AGENT_OPTIONS = behavior;
  const all = { ...DEFAULT_AGENT_LIMITS, ...limits };
  const connection = await AgentConnection.start(createTestAgentCommand(command), cwd, { limits: all });
  connections.add(connection);
  return connection;
}

/** Starts an agent and opens a session. */
export async function openTestSession(options: TestAgentOptions = {}) {
  const connection = await startTestAgent(options);
  const { cwd = process.cwd(), modeRule, options: chosen } = options;
  const { session } = await connection.openSession({ cwd, agentSessionId: null, modeRule, options: chosen });
  return { connection, session };
}

export async function stopTestAgents(): Promise<void> {
  await Promise.all([...connections].map((connection) => connection.stop()));
  connections.clear();
}

/** Records a turn. `answer` decides on permission requests; without it they stay open. */
export class RecordedTurn implements AgentTurnListener {
  readonly messages: string[] = [];
  /** The text of each message as it was added, and of one that isn't complete. */
  readonly addedTexts: string[] = [];
  readonly toolCalls: ToolCallRecord[] = [];
  readonly permissions: AgentPermissionRequest[] = [];
  readonly openCounts: number[] = [];
  readonly skippedLines: number[] = [];
  readonly notices: string[] = [];
  /** Kinds of calls in their order. */
  readonly order: string[] = [];

  constructor(private readonly answer?: (request: AgentPermissionRequest) => void) {}

  messageTextAdded(text: string): void {
    this.addedTexts[this.messages.length] = (this.addedTexts[this.messages.length] ?? '') + text;
  }

  messageCompleted(text: string): void {
    this.order.push('message');
    this.messages.push(text);
  }

  toolCallFinished(call: ToolCallRecord): void {
    this.order.push('tool');
    this.toolCalls.push(call);
  }

  lineSkipped(bytes: number): void {
    this.skippedLines.push(bytes);
  }

  permissionRequested(request: AgentPermissionRequest): void {
    this.order.push('permission');
    this.permissions.push(request);
    this.countOpen(1);
    void request.closed.then(() => this.countOpen(-1));
    this.answer?.(request);
  }

  noticeAdded(text: string): void {
    this.order.push('notice');
    this.notices.push(text);
  }

  private countOpen(change: number): void {
    this.openCounts.push((this.openCounts.at(-1) ?? 0) + change);
  }
}

/** Runs one prompt of a session and returns what happened, with its result. */
export async function runTestPrompt(
  session: AgentSession,
  text: string,
  answer?: (request: AgentPermissionRequest) => void,
) {
  const turn = new RecordedTurn(answer);
  const result = await session.prompt(text, turn);
  return { turn, ...result, ...session.turnUse };
}

/** Whether the process is gone, or a zombie that its new parent has not waited for. */
export function isDead(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Polls until `condition` holds. */
export async function waitUntil(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('The condition did not become true in time.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
