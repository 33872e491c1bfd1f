import type { Continuation } from './agent-sessions';
import type { AttachmentParams } from './attachments';
import type { RecipientPublicKey } from './recipient-key';
import type { OptionValues } from './session-options';
import type { TurnSummary } from './turns';

export interface StartSessionParams extends Continuation {
  /** Name of an agent that the machine announces; null: the first. */
  agent: string | null;
  /** Working directory of the agent; null: the default of the device. */
  cwd: string | null;
  /** Mode that the agent offers; null: the default of the device. */
  mode: string | null;
  tag: string;
  /** First message; null: none. */
  content: string | null;
  /** How long the caller waits for the turn, in ms, as for a message. */
  waitMs: number;
  /** Files that come with the first message. Only for devices that declare `session.attachments`. */
  attachments?: AttachmentParams[];
  /** Only for devices that declare `session.grant`, and only if the caller asks for it. */
  grant?: StartGrantParams;
  /** Only for devices that declare `session.options`, and only if the caller chooses some. */
  options?: OptionValues;
}

/** The key grant that the caller of a start asks for. It covers that caller's token and nobody else. */
export interface StartGrantParams {
  /** Personal access token that began the call. */
  tokenId: string;
  /** The caller's own key; null: the service, which then decrypts for this token. */
  recipient: RecipientPublicKey | null;
}

/** `grants_disabled`: the device's owner allows no grants. `grant_failed`: the service has not created it. */
export type StartGrantErrorCode = 'grants_disabled' | 'grant_failed';

/** What became of the grant, in the result of a start. Empty unless the caller asked for it. */
export interface StartGrantResult {
  /** The created key grant; null if there is none, for the reason in `grantError`. */
  grant?: { id: string } | null;
  grantError?: { code: StartGrantErrorCode; message: string };
}

/** `starting`: the agent goes on starting, and the first turn finds it. */
export const AGENT_STATES = ['ready', 'starting'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

export interface StartSessionResult extends StartGrantResult {
  sessionId: string;
  /** null without a first message */
  turn: TurnSummary | null;
  /** Only without a first message. Devices of earlier releases answer when the agent is ready, and don't send it. */
  agentState?: AgentState;
}
