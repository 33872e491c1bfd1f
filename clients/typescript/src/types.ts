/** Names for the types that npm run generate derives from the service's OpenAPI document. */
import type { components, operations } from './generated/external-api.ts';

type Schemas = components['schemas'];

export type Session = Schemas['Session'];
export type Message = Schemas['Message'];
export type Turn = Schemas['Turn'];
export type PermissionRequest = Schemas['PermissionRequest'];
export type QueuedMessage = Schemas['QueuedMessage'];
export type Machine = Schemas['Machine'];
export type Invocation = Schemas['Invocation'];
export type Artifact = Schemas['Artifact'];
export type Webhook = Schemas['Webhook'];
export type Usage = Schemas['Usage'];
export type Me = Schemas['Me'];
export type Problem = Schemas['Problem'];
export type Outcome = Schemas['Outcome'];
export type CreateWebhook = Schemas['CreateWebhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type InvokeCommand = Schemas['Invoke'];
export type StartInvocation = Schemas['StartInvocation'];
export type StartSession = Schemas['StartSession'];
export type IfBusy = NonNullable<Schemas['SendMessage']['ifBusy']>;
export type MessageDelivery = Schemas['MessageDelivery'];
export type Attachment = Schemas['Attachment'];
export type DecidePermission = Schemas['DecidePermission'];
/** Answers to a question by the names of its fields. */
export type Answers = NonNullable<DecidePermission['answers']>;
export type AnswerValue = Answers[string];
export type PlaintextContent = Schemas['PlaintextContent'];
export type SealedContent = Schemas['SealedContent'];

/** Type of an event, such as `turn.ended`. */
export type EventType = Schemas['WebhookPage']['availableEvents'][number];

/** Query parameters of an operation. */
export type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

interface QuestionChoice {
  const: string;
  title: string;
  description?: string;
}

/** One field of a question, as JSON Schema. */
export type QuestionField = { title?: string; description?: string } & (
  | {
      type: 'string';
      minLength?: number;
      maxLength?: number;
      /** Regular expression of the agent. Never run it without a limit of its time. */
      pattern?: string;
      format?: string;
      enum?: string[];
      oneOf?: QuestionChoice[];
      default?: string;
    }
  | { type: 'number' | 'integer'; minimum?: number; maximum?: number; default?: number }
  | { type: 'boolean'; default?: boolean }
  | {
      type: 'array';
      items: { anyOf?: QuestionChoice[]; enum?: string[] };
      minItems?: number;
      maxItems?: number;
      default?: string[];
    }
);

/** Content of a question, as JSON text of `sessions.permissionContent`. */
export interface QuestionContent {
  title: string;
  message: string;
  schema: {
    title?: string;
    description?: string;
    properties: Record<string, QuestionField>;
    required: string[];
  };
}

/** Answer of a relayed call. `result` is what the device answered. */
export interface RelayReply<Result> {
  requestId: string;
  result: Result;
}

/** Chosen values, by the ids of the agent's options. */
export type OptionValues = Record<string, string>;

/** An option that the agent of a session offers, such as its model. */
export interface SessionOption {
  id: string;
  name: string;
  /** `mode`, `model`, `thought_level` or another one of the agent. */
  category: string | null;
  type: string;
  /** Value of the next turn. */
  value: string | null;
  values: { value: string; name: string }[];
}

/** What the agent of a session has announced last. */
export interface SessionOptions {
  options: SessionOption[];
  /** What the agent understands at the beginning of a message, after a slash. */
  commands: { name: string; description: string }[];
}

/** Result of a command on a machine. A non-zero `exitCode` is not an error of the call. */
export interface InvokeResult {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  stdoutTruncated: boolean;
  stderrTruncated: boolean;
  stdoutBytes: number;
  stderrBytes: number;
  timedOut: boolean;
  durationMs: number;
}

/** The turn that a message began, as the device answers. */
export interface StartedTurn {
  id: string;
  state: Turn['state'];
  stopReason: Turn['stopReason'];
}

/** A decision that counted, as the device answers. */
export interface DecisionResult {
  state: Schemas['PermissionRequest']['state'];
  /** Null for a question. */
  optionId: string | null;
  /** Only with a message: the turn that it has begun. */
  turn?: StartedTurn;
}

/** The session that a call has started, as the device answers. */
export interface StartedSession {
  sessionId: string;
  /** The turn of the first message; null without one. */
  turn: StartedTurn | null;
  /**
   * Only without a first message: whether the agent is `ready`, or goes on `starting`, which a message then waits for.
   * Devices of earlier releases answer when it is ready, without this member.
   */
  agentState?: 'ready' | 'starting';
  /** Only if `grant` was asked for: the key grant, or null if there is none, for the reason in `grantError`. */
  grant?: { id: string } | null;
  /** `grants_disabled` by the machine's owner, or `grant_failed`. */
  grantError?: { code: string; message: string };
}

/** A session that an agent has itself, also one that a person has begun at the terminal. */
export interface AgentSession {
  agent: string;
  /** The agent's own ID, for `resume` of a start. */
  agentSessionId: string;
  title: string | null;
  cwd: string;
  /** RFC 3339 in UTC. */
  updatedAt: string | null;
  /** The session of the service that continues it. */
  sessionId: string | null;
  /** Whether `fork` can copy it. */
  canFork: boolean;
}

export interface AgentSessionPage {
  sessions: AgentSession[];
  /** `cursor` of the next page, which may have sessions although this one has none; null on the last page. */
  nextCursor: string | null;
  /** Agents that could not be asked, if the call names none. */
  problems: { agent: string; code: string; message: string }[];
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, also while it waits for a retry. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Key under which the service runs a POST once. By default, each gets a random one. */
  idempotencyKey?: string | undefined;
}
