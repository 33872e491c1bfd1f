import type {
  PermissionOptionKind,
  SessionContext,
  SessionOptionsResult,
  StopReason,
  TurnCost,
  TurnUsage,
} from '@external-api/protocol';
import type { ProcessIdentity } from '../exec/process-identity';
import type { JsonObject } from '../untrusted-values';
import type { AgentFile } from './agent-file';
import type { AgentPlace } from './agent-places';
import type { AgentInfo, AgentInquiry } from './agent-inquiry';
import type { AgentQuestion } from './agent-question';
import type { AgentMode, AgentSettings } from './agent-settings';

/** How to start one agent. The machine's user configures it (`--agent`, `--agent-env`, `--agent-mode`). */
export interface AgentCommand {
  /** 1 to 64 characters of `a-z0-9-`. */
  name: string;
  /** Program and arguments, started without a shell. */
  command: readonly string[];
  /** Names of environment variables that the agent gets besides the harmless ones of every command. */
  environmentNames: readonly string[];
  /** The mode that the owner has chosen for its sessions. Null: none, see {@link ModeRule}. */
  mode: string | null;
}

/** How a session came about: it was open already, the agent has loaded it, or began it and knows no earlier turns. */
export type AgentSessionOrigin = 'running' | 'loaded' | 'created';

/** A session of a running agent. */
export interface AgentSession {
  /** The agent's own id, which {@link AgentSessionRequest.agentSessionId} takes after a restart. */
  readonly id: string;
  readonly agent: AgentInfo;
  /** Identifies the process of the agent, which may outlive this one. Absent: it has none of its own. */
  identifyProcess?(): Promise<ProcessIdentity | undefined>;
  /** Modes that the agent offers; empty if it has none. */
  readonly modes: readonly AgentMode[];
  readonly currentMode: string | null;
  /** What the agent has announced last. */
  readonly offer: SessionOptionsResult;
  /** Whether the agent may decide by itself with this value of an option. */
  isDecidingValue(optionId: string, value: string): boolean;
  /** Called whenever the agent has reported its modes or options. */
  onModesReported?: () => void;
  /** Called with each title that the agent gives the session, between turns too. */
  onTitled?: (title: string) => void;
  /** What the running turn has used so far, or the last one in all, also if it failed. */
  readonly turnUse: TurnUse;
  /** Ms since the agent last did something in the running turn, or in the last one; null if it has done nothing. */
  readonly idleMs: number | null;

  /**
   * Writes the prompt before it returns, and resolves when the agent's turn has ended. A turn that was cancelled
   * resolves with `cancelled`, also if the agent had to be killed.
   * @throws AgentError `agent_lost`, `agent_silent`, `agent_error`, `agent_auth_required`, `turn_timeout`, after which
   *   no more of the listener's methods are called
   * @param blocks further blocks of content that the agent takes
   * @throws Error when a prompt of this session is running
   */
  prompt(text: string, listener: AgentTurnListener, blocks?: readonly JsonObject[]): Promise<AgentTurnResult>;

  /** Returns the last messages of the conversation that a session continues, as far as the agent has repeated it. */
  readReplay?(): readonly ReplayedMessage[];

  /**
   * Gives the agent a message that joins the running prompt. Resolves with false if the prompt has ended before: the
   * agent has not got the message then.
   * @param beforeSending what must be done before the agent may see it
   * @throws AgentError, JsonRpcError
   */
  steer(text: string, beforeSending: () => Promise<void>): Promise<boolean>;

  /** Sets who gets what the agent does without a prompt, instead of an earlier receiver. Nobody: it is ignored. */
  receiveUnpromptedWork(receiver: UnpromptedWorkReceiver): void;

  /**
   * Cancels the running prompt: answers its open permission requests with `cancelled`, tells the agent, and kills the
   * agent's process group if the turn has not ended ten seconds later. An agent that ends it, but not a command that it
   * had begun, is stopped with all that it started. Resolves when the turn has ended.
   */
  cancel(): Promise<void>;
}

/** A message that an agent has repeated of a conversation. Invisible characters are escapes. */
export type ReplayedMessage = { role: 'user' | 'assistant'; text: string } | { role: 'tool'; call: ToolCallRecord };

/** What an agent does by itself, until it has been silent for ten seconds with no permission request open. */
export interface UnpromptedWork {
  /** Whether the agent is stopped at the end, since it has begun to work too often since the last prompt. */
  readonly isLast: boolean;
  /** Resolves at the end, also after a cancellation. Rejects with an AgentError as a prompt does. */
  readonly ended: Promise<void>;
  /** Stops the agent with all that it started. A running prompt fails with `agent_lost`. */
  cancel(): Promise<void>;
}

/** Returns the listener of a new turn, or undefined to ignore the work. */
export type UnpromptedWorkReceiver = (work: UnpromptedWork) => AgentTurnListener | undefined;

/** What one turn used, and how full the context is after it. Null where the agent doesn't say. */
export interface TurnUse {
  usage: TurnUsage | null;
  cost: TurnCost | null;
  context: SessionContext | null;
}

export interface AgentTurnResult {
  stopReason: StopReason;
}

/** Receives one turn, in the order in which it happened. A listener that throws fails the turn. */
export interface AgentTurnListener {
  /**
   * The agent has written more of a message: the next part of the text that {@link messageCompleted} will get, unless
   * that is truncated.
   */
  messageTextAdded?(text: string): void;
  /** One whole message of the agent, with escapes for control characters except tabs and line breaks. */
  messageCompleted(text: string): void;
  /** The agent has sent a file in a message or in the output of a tool. Returns the text that stands for it there. */
  fileSent?(file: AgentFile): string;
  /** The agent has written more of a thought. Thoughts are not stored. */
  thoughtTextAdded?(text: string): void;
  /** The thought is complete: text that is added afterwards belongs to another one. */
  thoughtCompleted?(): void;
  /** The agent has reported a tool call, or more of it. */
  toolCallChanged?(call: RunningToolCall): void;
  /**
   * Called once for each tool call, when it has finished, or when the turn has ended before it.
   * @param running the call, if it was reported as changed before
   */
  toolCallFinished(call: ToolCallRecord, running?: RunningToolCall): void;
  /** The agent has announced its whole plan, of which `omitted` further entries are left out. */
  planChanged?(entries: readonly PlanEntry[], omitted: number): void;
  /** The agent has sent a message of this many bytes, which is too long to be read. The turn goes on. */
  lineSkipped?(bytes: number): void;
  /** The agent asks before it uses a tool, or with a form. Several may be open, also for the same tool call. */
  permissionRequested(request: AgentRequest): void;
  /** The device has something to tell the readers that the agent didn't say. */
  noticeAdded?(text: string): void;
}

/** A tool call that goes on. */
export interface RunningToolCall {
  /** Returns the call as it is now. */
  toRecord(): ToolCallRecord;
}

/** One step of an agent's plan. Invisible characters are escapes. */
export interface PlanEntry {
  content: string;
  /** `pending`, `in_progress` or `completed`. */
  status: string;
  /** `high`, `medium` or `low`. */
  priority: string;
}

/** Statuses of version 1 of the protocol, and `cancelled` of the device. */
export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';

/** Content of a `tool` message of the history. Invisible characters are escapes. */
export interface ToolCallRecord {
  id: string;
  title: string;
  /** As in the Agent Client Protocol: `edit`, `execute`, `read`, …; `other` if the agent names none. */
  kind: string;
  /**
   * The last status that the agent reported. `pending` and `in_progress` mean that the turn ended first, `cancelled`
   * that it was cancelled first.
   */
  status: ToolCallStatus;
  /** 16 KiB at most; longer output is truncated in the middle, with a line that states how much was omitted. */
  output: string;
  /** Exit code of the command, if the agent tells it. */
  exitCode?: number;
  /** Files that the call reads or changes, 16 at most. */
  locations?: ToolCallLocation[];
  /** Unified diff of the files that the call edited, 16 KiB at most, truncated like the output. */
  diff?: string;
}

/** A place in a file. Invisible characters are escapes. */
export interface ToolCallLocation {
  path: string;
  line?: number;
}

/** An open request of the agent to use a tool. The first answer counts. */
export interface AgentPermissionRequest {
  /** Unique among all requests of this device's process. */
  readonly id: string;
  readonly toolCallId: string;
  readonly title: string;
  /** Kind of the tool call. */
  readonly kind: string;
  /**
   * Arguments of the tool as a JSON value with escapes for invisible characters, or null if the agent names none.
   * Arguments of more than 16 KiB are JSON text that is truncated in the middle and says so.
   */
  readonly input: unknown;
  /** Unified diff of the proposed edit, 16 KiB at most. */
  readonly diff: string | null;
  /** Files of the call, as the agent names them; null for one that can't exist, and for all after the 16th. */
  readonly paths: readonly (string | null)[];
  /** Files that the input or the proposed edit names, such as the new place of one; null as in `paths`. */
  readonly mentionedPaths: readonly (string | null)[];
  /** In the agent's order, 16 at most. The ids are the device's own: `o1`, `o2`, … */
  readonly options: readonly AgentPermissionOption[];
  /** Resolves when the request has been answered, also if the turn was cancelled or the agent has died. */
  readonly closed: Promise<AgentPermissionOutcome>;

  /** Returns false when the request is no longer open. @throws Error when no option has this id */
  select(optionId: string): boolean;
  /** Answers that the request was cancelled. Returns false when it is no longer open. */
  cancel(): boolean;
}

/** What an agent waits for. */
export type AgentRequest = AgentPermissionRequest | AgentQuestion;

export interface AgentPermissionOption {
  optionId: string;
  name: string;
  kind: PermissionOptionKind;
}

/** The selected option, or null when the request was cancelled. */
export type AgentPermissionOutcome = AgentPermissionOption | null;

/** What a session needs to run in a process of its own. */
export interface AgentSessionRequest extends AgentSettings {
  command: AgentCommand;
  /**
   * Returns the absolute path of the folder. Called before each start of the agent, since the folder may have changed.
   * @throws CommandError
   */
  resolveFolder: () => Promise<string>;
  /** Id of the agent's session that an earlier process had, or null. */
  agentSessionId: string | null;
  /** How long ago the agent has created that session, at least. Default: 0. */
  agentSessionAgeMs?: number;
  /**
   * How to begin with a session that another client has begun: with it, or with a copy. Then there is no empty session
   * in its place, and the conversation that the agent repeats is recorded.
   */
  continuation?: 'resume' | 'fork';
  /** Place of `reservePlace` for a new session. The caller releases it if the session can't be acquired. */
  place?: AgentPlace;
}

/** A session whose process keeps running until the lease is released. */
export interface AgentSessionLease {
  readonly session: AgentSession;
  readonly origin: AgentSessionOrigin;
  release(): void;
}

/** Runs a limited number of agents at a time, each in a process of its own with one session. */
export interface AgentSessionProvider {
  /**
   * Returns the session of `key`, the session's id in the service. Starts the agent if it isn't running; waits while
   * all places are taken, in the order of the calls.
   * @throws AgentError when the agent can't be started or refuses the session or its mode; CommandError of the folder;
   *   AbortError
   */
  acquireSession(key: string, request: AgentSessionRequest, signal?: AbortSignal): Promise<AgentSessionLease>;
  /**
   * Reserves a place for the agent of a new session, without a wait for the turn of another one.
   * @throws CommandError `busy`, AbortError
   */
  reservePlace?(signal: AbortSignal): Promise<AgentPlace>;
  /**
   * Asks an agent without a session of its own, one question at a time. It stays there for a while for further ones.
   * Absent: agents can't be asked.
   * @throws AgentError when the agent can't be started; CommandError `busy`, and of the folder; AbortError
   */
  inquire?<T>(
    agent: Pick<AgentSessionRequest, 'command' | 'resolveFolder'>,
    ask: (inquiry: AgentInquiry) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /**
   * Applies mode and options of the request to the session's agent, if that runs and is not in use. Returns whether it
   * does. Turns of the session must wait for it.
   * @throws AgentError when the agent refuses them
   */
  updateSession(key: string, request: AgentSessionRequest): Promise<boolean>;
  /** Stops the agent of an ended session. A running prompt fails with `agent_lost`. */
  stopSession(key: string): Promise<void>;
  /** Stops all agents; waiting callers get an AbortError. */
  stopAll(): Promise<void>;
  /** Returns why this agent certainly can't be started here, such as a missing program. */
  findStartProblem?(command: AgentCommand): Promise<Error | undefined>;
}
