import type { Answers } from '@external-api/protocol/portable';
import { ServiceError } from '../lib/api-client';
import { explainCallError, isOutcomeUnknown, RepeatableCall } from '../content/relayed-call';
import type { AccountApi } from '../content/account-api';
import type { SessionOpener } from '../content/content-opener';
import type { PermissionRecord } from '../content/records';
import { closeNotice } from '../push/push-registration';
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

type RequestKey = Pick<PermissionRecord, 'id' | 'sessionId'>;

/** Sends the decision on one request. */
export class ApprovalDecision {
  private readonly call = new RepeatableCall();
  /** The same answers have the same ciphertext, so that a repeated call is the same. */
  private sealed: { answers: string; body: object } | undefined;

  /** @param contentHash hash of the ciphertext whose content the person has seen */
  sendDecision(
    api: AccountApi,
    record: RequestKey,
    { optionId, kind }: Pick<QuestionOption, 'optionId' | 'kind'>,
    contentHash: string,
  ): Promise<DecisionResult> {
    return this.send(api, record, { optionId, contentHash }, isAllowing(kind) ? 'Allowed.' : 'Rejected.');
  }

  /** @param answers null declines the question */
  async sendAnswers(
    api: AccountApi,
    record: PermissionRecord,
    answers: Answers | null,
    contentHash: string,
    opener: SessionOpener,
  ): Promise<DecisionResult> {
    if (!answers) return this.send(api, record, { decision: 'decline', contentHash }, 'Declined.');
    const text = JSON.stringify(answers);
    if (this.sealed?.answers !== text) {
      const sealedAnswers = await opener.sealAnswers(text, contentHash);
      this.sealed = { answers: text, body: { sealedAnswers, contentHash } };
    }
    return this.send(api, record, this.sealed.body, 'Answered.');
  }

  private async send(
    api: AccountApi,
    { id, sessionId }: RequestKey,
    body: object,
    text: string,
  ): Promise<DecisionResult> {
    try {
      const path = `/v1/control/sessions/${sessionId}/permission-requests/${id}/decision`;
      await this.call.post(api, path, body);
      closeNotice(id).catch(() => undefined);
      return { state: 'final', isSuccess: true, text };
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
