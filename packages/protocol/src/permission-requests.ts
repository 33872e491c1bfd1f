/** A permission request is an agent's question before it uses a tool (docs/protocol/agents.md#permission-requests). */

/** Requests of one session, and of one turn, that may wait for a decision at a time. */
export const MAX_PENDING_PERMISSIONS = 32;
export const MAX_PERMISSION_OPTIONS = 16;
/** Maximum length of the compact JWE of a request's content, in characters. */
export const MAX_PERMISSION_CONTENT_LENGTH = 65_536;

/** States of a permission request. The service shows `expired` once `expiresAt` is past. */
export const PERMISSION_REQUEST_STATES = ['pending', 'allowed', 'rejected', 'expired', 'cancelled'] as const;
export type PermissionRequestState = (typeof PERMISSION_REQUEST_STATES)[number];

/** Kinds of options that an agent offers, as in the Agent Client Protocol. */
export const PERMISSION_OPTION_KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;
export type PermissionOptionKind = (typeof PERMISSION_OPTION_KINDS)[number];

/** Maximum length of the message that comes with a decision, in UTF-16 code units. */
export const MAX_DECISION_MESSAGE_LENGTH = 2_000;
/** Maximum length of the compact JWE of such a message, in characters. */
export const MAX_SEALED_DECISION_MESSAGE_LENGTH = 16_384;

export interface PermissionOption {
  /** The device's own: `o1`, `o2`, … */
  optionId: string;
  kind: PermissionOptionKind;
}

/**
 * Body of `PUT /v1/sessions/{id}/permission-requests/{localId}`. Only `revision`, `state`, `optionId` and `decidedAt`
 * change between the reports of a request. Times are Unix ms in server time.
 */
export interface PermissionRequestReport {
  revision: number;
  /** Id of the relayed call that began the turn. */
  turnLocalId: string;
  /** Kind of the tool call, as in the Agent Client Protocol: `edit`, `execute`, …; `question` for a question. */
  kind: string;
  /** Empty for a question. */
  options: PermissionOption[];
  /** Compact JWE of `{title, tool, input, options, diff?}`, or of `QuestionContent`, under the session's data key. */
  content: string;
  expiresAt: number;
  state: PermissionRequestState;
  optionId: string | null;
  decidedAt: number | null;
}

/** Returns the state of a permission request of which an option of this kind was selected. */
export function getDecidedState(kind: PermissionOptionKind): 'allowed' | 'rejected' {
  return kind === 'allow_once' || kind === 'allow_always' ? 'allowed' : 'rejected';
}
