import { ServiceError } from '../lib/api-client';
import { explainCallError, isOutcomeUnknown, RepeatableCall } from '../content/relayed-call';
import type { AccountApi } from '../content/account-api';
import type { PermissionRecord } from '../content/records';
import type { QuestionOption } from './permission-question';

/** Result of a decision, as a sentence. */
export interface DecisionResult {
  /** `final`: nothing can be decided any more. `open`: the person may try again. */
  state: 'final' | 'open';
  isSuccess: boolean;
  text: string;
}

const UNKNOWN =
  'Nobody knows whether the agent got your decision. Decide again: the first decision that reaches the agent counts.';

/** Texts for errors of a decision, beside those of all relayed calls. */
const REFUSALS: Record<string, Omit<DecisionResult, 'isSuccess'>> = {
  permission_not_pending: {
    state: 'final',
    text: 'Somebody else was faster, or the time was up. Your decision didn’t count.',
  },
  conflict: {
    state: 'open',
    text: 'The request has other content than this page shows, so your decision didn’t count. Reload the page.',
  },
  not_found: { state: 'final', text: 'The request no longer exists. Its session was deleted.' },
};

/** Returns SHA-256 over the characters of the compact JWE, in base64url (docs/protocol/agents.md#content). */
export async function hashCiphertext(content: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content)));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '');
}

/** Sends the decision on one request. */
export class ApprovalDecision {
  private readonly call = new RepeatableCall();

  /** @param contentHash hash of the ciphertext whose content the person has seen */
  async sendDecision(
    api: AccountApi,
    { id, sessionId }: PermissionRecord,
    { optionId, kind }: QuestionOption,
    contentHash: string,
  ): Promise<DecisionResult> {
    try {
      const path = `/v1/control/sessions/${sessionId}/permission-requests/${id}/decision`;
      await this.call.post(api, path, { optionId, contentHash });
      return { state: 'final', isSuccess: true, text: isAllowing(kind) ? 'Allowed.' : 'Rejected.' };
    } catch (error) {
      return { isSuccess: false, ...explainDecisionError(error) };
    }
  }
}

export const isAllowing = (kind: string): boolean => kind.startsWith('allow');

export function explainDecisionError(error: unknown): Omit<DecisionResult, 'isSuccess'> {
  const refusal = error instanceof ServiceError && !isOutcomeUnknown(error) ? REFUSALS[error.code ?? ''] : undefined;
  return refusal ?? { state: 'open', text: explainCallError(error, UNKNOWN) };
}
