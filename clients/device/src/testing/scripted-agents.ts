import { setTimeout as sleep } from 'node:timers/promises';
import type { OptionValues, SessionOptionsResult } from '@external-api/protocol';
import { AgentError } from '../agent/agent-error';
import type {
  AgentPermissionOption,
  AgentPermissionOutcome,
  AgentPermissionRequest,
  AgentSession,
  AgentSessionLease,
  AgentSessionProvider,
  AgentSessionRequest,
  AgentTurnListener,
  AgentTurnResult,
  UnpromptedWorkReceiver,
  TurnUse,
} from '../agent/agent-session';
import type { JsonObject } from '../untrusted-values';

/** What an agent does with one prompt. `signal` aborts when the prompt is cancelled or the agent is killed. */
export type AgentScript = (
  listener: AgentTurnListener,
  signal: AbortSignal,
) => Promise<Partial<AgentTurnResult> | void> | Partial<AgentTurnResult> | void;

export const PERMISSION_OPTIONS: AgentPermissionOption[] = [
  { optionId: 'o1', name: 'Always', kind: 'allow_always' },
  { optionId: 'o2', name: 'Once', kind: 'allow_once' },
  { optionId: 'o3', name: 'No', kind: 'reject_once' },
];

const NO_OTHER_ABILITIES = { canResumeSessions: false, canListSessions: false, canForkSessions: false };
const NO_USE: TurnUse = { usage: null, cost: null, context: null };

/**
 * Agents in this process that do what a test says, by the text of the prompt. Tests use them where the moment of an
 * event matters; the driver of real processes has tests of its own.
 */
export class ScriptedAgents implements AgentSessionProvider {
  readonly prompts: string[] = [];
  /** Blocks of the prompts besides the text. */
  readonly blocks: JsonObject[] = [];
  readonly requests: (Omit<AgentSessionRequest, 'resolveFolder'> & { cwd: string })[] = [];
  readonly stoppedKeys: string[] = [];
  /** Error of the next starts. */
  startError: Error | undefined;
  /** Absent: there is always a place. */
  reservePlace: AgentSessionProvider['reservePlace'];
  /** While set, no session can be acquired. */
  blocked: Promise<void> | undefined;
  /** Gets what the agent of the session that was acquired last does without a prompt. */
  receiver: UnpromptedWorkReceiver | undefined;
  /** What the agents of all sessions offer. */
  offer: SessionOptionsResult = { options: [], commands: [] };
  isRunning = true;
  /** Whether they take messages while they work. */
  canSteer = false;
  /** Messages that joined a turn. */
  readonly steeredTexts: string[] = [];
  /** Called when an agent gets such a message, before it answers whether its turn was still running. */
  takeSteering: () => Promise<boolean> = () => Promise.resolve(true);
  private readonly controllers = new Set<AbortController>();
  private lastSessionSerial = 0;
  private lastSession: AgentSession | undefined;
  /** Scripts set what their turn uses. */
  turnUse: TurnUse = NO_USE;
  /** Idle time of all sessions, in ms. */
  idleMs: number | null = null;
  promptCapabilities = { image: true, embeddedContext: true };

  constructor(private readonly scripts: Record<string, AgentScript> = {}) {}

  async acquireSession(_key: string, request: AgentSessionRequest, signal?: AbortSignal): Promise<AgentSessionLease> {
    const { resolveFolder, ...others } = request;
    this.requests.push({ ...others, cwd: await resolveFolder() });
    signal?.throwIfAborted();
    if (this.blocked) {
      const aborted = new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      await Promise.race([this.blocked, aborted]);
    }
    await resolveFolder();
    if (this.startError) throw this.startError;
    this.applyOptions(request.options?.values);
    const id = request.agentSessionId ?? `agent-session-${++this.lastSessionSerial}`;
    this.lastSession = this.createSession(id);
    return { session: this.lastSession, origin: 'running', release: () => undefined };
  }

  /** Gives the session that was acquired last a title. */
  nameSession(title: string): void {
    this.lastSession?.onTitled?.(title);
  }

  /** Applies options like an agent that refuses nothing. Returns {@link isRunning}. */
  updateSession(_key: string, { options }: AgentSessionRequest): Promise<boolean> {
    if (this.isRunning) this.applyOptions(options?.values);
    return Promise.resolve(this.isRunning);
  }

  stopSession(key: string): Promise<void> {
    this.stoppedKeys.push(key);
    return Promise.resolve();
  }

  stopAll(): Promise<void> {
    for (const controller of this.controllers) controller.abort(new AgentError('agent_lost', 'The agent has ended.'));
    return Promise.resolve();
  }

  private createSession(id: string): AgentSession {
    let controller: AbortController | undefined;
    const getState = () => ({ turnUse: this.turnUse, idleMs: this.idleMs, offer: this.offer });
    return {
      id,
      agent: {
        name: 'scripted',
        title: 'Scripted agent',
        version: '1.0.0',
        canLoadSessions: true,
        ...NO_OTHER_ABILITIES,
        promptCapabilities: this.promptCapabilities,
        canSteer: this.canSteer,
      },
      modes: [],
      currentMode: null,
      receiveUnpromptedWork: (receiver) => void (this.receiver = receiver),
      get offer() {
        return getState().offer;
      },
      isDecidingValue: (_, value) => value === 'deciding',
      get turnUse() {
        return getState().turnUse;
      },
      get idleMs() {
        return getState().idleMs;
      },
      prompt: async (text, listener, blocks = []) => {
        this.blocks.push(...blocks);
        this.turnUse = NO_USE;
        controller = new AbortController();
        this.controllers.add(controller);
        this.prompts.push(text);
        return this.runScript(text, listener, controller.signal);
      },
      steer: async (text, beforeSending) => {
        await beforeSending();
        const isTaken = await this.takeSteering();
        if (isTaken) this.steeredTexts.push(text);
        return isTaken;
      },
      cancel: async () => {
        controller?.abort('cancelled');
        await sleep(1);
      },
    };
  }

  private applyOptions(values: OptionValues = {}): void {
    const options = this.offer.options.map((option) => ({ ...option, value: values[option.id] ?? option.value }));
    this.offer = { ...this.offer, options };
  }

  private async runScript(text: string, listener: AgentTurnListener, signal: AbortSignal): Promise<AgentTurnResult> {
    const ended = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
    try {
      const script = this.scripts[text] ?? ((each) => each.messageCompleted(`Answer to ${text}`));
      const result = await Promise.race([script(listener, signal), ended]);
      return { stopReason: 'end_turn', ...result };
    } catch (error) {
      if (error === 'cancelled') return { stopReason: 'cancelled' };
      throw error;
    }
  }
}

/** A request that records what the agent was answered. */
export function createPermissionRequest(
  change: Partial<AgentPermissionRequest> = {},
): AgentPermissionRequest & { outcomes: AgentPermissionOutcome[] } {
  const outcomes: AgentPermissionOutcome[] = [];
  let close: (outcome: AgentPermissionOutcome) => void = () => undefined;
  const closed = new Promise<AgentPermissionOutcome>((resolve) => (close = resolve));
  const answer = (outcome: AgentPermissionOutcome): boolean => {
    if (outcomes.length > 0) return false;
    outcomes.push(outcome);
    close(outcome);
    return true;
  };
  return {
    id: 'permission-1',
    toolCallId: 'call-1',
    title: 'Run make',
    kind: 'execute',
    input: { command: 'make' },
    diff: null,
    paths: [],
    mentionedPaths: [],
    options: PERMISSION_OPTIONS,
    closed,
    select: (optionId) => answer(PERMISSION_OPTIONS.find((option) => option.optionId === optionId) ?? null),
    cancel: () => answer(null),
    outcomes,
    ...change,
  };
}
