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

export const UNKNOWN_OUTCOME =
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

/** Refusals of a decision with a message. */
const MESSAGE_REFUSALS: typeof REFUSALS = {
  ...REFUSALS,
  permission_not_pending: {
    state: 'final',
    text: 'Somebody else was faster, or the time was up. Your decision didn’t count, and your message was not sent.',
  },
  no_online_device: {
    state: 'open',
    text: 'The machine is offline, or its program is too old for a message with a decision. Nothing was sent to it.',
  },
};

const MESSAGE_LOST: Omit<DecisionResult, 'isSuccess'> = {
  state: 'final',
  text: 'Your decision counts, but the machine could not keep your message. Is its disk full? Send the message again.',
};

/** Returns SHA-256 over the characters of the compact JWE, in base64url (docs/protocol/agents.md#content). */
export async function hashCiphertext(content: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content)));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '');
}

/** Next prompt of the session, with what encrypts it and other content of the session. */
interface DecisionMessage {
  text: string;
  opener: SessionOpener;
}

type RequestKey = Pick<PermissionRecord, 'id' | 'sessionId'>;

/** Sends the decision on one request, and remembers what became of it when its card is gone. */
export class ApprovalDecision {
  isSending = false;
  /** Result of the last attempt. */
  result: DecisionResult | undefined;
  /** Text of the person for the agent that nobody has got. */
  unsentText = '';
  private readonly call = new RepeatableCall();
  /** The same text has the same ciphertext, so that a repeated call is the same. */
  private readonly sealedTexts = new Map<string, string>();

  /** Whether the person has decided, and it, or the message with it, will never count. */
  get isRefused(): boolean {
    return this.result?.state === 'final' && !this.result.isSuccess;
  }

  /**
   * @param contentHash hash of the ciphertext whose content the person has seen
   * @param message the next prompt of the session; absent or blank: none
   */
  async sendDecision(
    api: AccountApi,
    record: RequestKey,
    { optionId, kind }: Pick<QuestionOption, 'optionId' | 'kind'>,
    contentHash: string,
    message?: DecisionMessage,
  ): Promise<DecisionResult> {
    const text = isAllowing(kind) ? 'Allowed.' : 'Rejected.';
    return this.trackSending(this.sendWithMessage(api, record, { optionId, contentHash }, text, message));
  }

  /**
   * @param answers null declines the question
   * @param message the next prompt of the session; a blank text: none
   */
  async sendAnswers(
    api: AccountApi,
    record: RequestKey,
    answers: Answers | null,
    contentHash: string,
    message: DecisionMessage,
  ): Promise<DecisionResult> {
    const send = async (): Promise<DecisionResult> => {
      if (!answers)
        return this.sendWithMessage(api, record, { decision: 'decline', contentHash }, 'Declined.', message);
      const json = JSON.stringify(answers);
      const sealedAnswers = await this.sealOnce('answers', json, () => message.opener.sealAnswers(json, contentHash));
      return this.sendWithMessage(api, record, { sealedAnswers, contentHash }, 'Answered.', message);
    };
    return this.trackSending(send());
  }

  private async trackSending(sending: Promise<DecisionResult>): Promise<DecisionResult> {
    this.isSending = true;
    try {
      this.result = await sending;
      if (this.result.isSuccess) this.unsentText = '';
      return this.result;
    } finally {
      this.isSending = false;
    }
  }

  private async sendWithMessage(
    api: AccountApi,
    record: RequestKey,
    body: { contentHash: string; [field: string]: string },
    text: string,
    message: DecisionMessage | undefined,
  ): Promise<DecisionResult> {
    if (!message?.text.trim()) return this.send(api, record, body, text);
    const sealedMessage = await this.sealOnce('message', message.text, () =>
      message.opener.sealDecisionMessage(message.text, body.contentHash),
    );
    const sentText = `${text} The agent gets your message next.`;
    return this.send(api, record, { ...body, sealedMessage }, sentText, MESSAGE_REFUSALS);
  }

  private async sealOnce(purpose: string, text: string, seal: () => Promise<string>): Promise<string> {
    const key = `${purpose} ${text}`;
    const sealed = this.sealedTexts.get(key) ?? (await seal());
    this.sealedTexts.set(key, sealed);
    return sealed;
  }

  private async send(
    api: AccountApi,
    { id, sessionId }: RequestKey,
    body: object,
    text: string,
    refusals = REFUSALS,
  ): Promise<DecisionResult> {
    try {
      const path = `/v1/control/sessions/${sessionId}/permission-requests/${id}/decision`;
      await this.call.post(api, path, body);
      closeNotice(id).catch(() => undefined);
      return { state: 'final', isSuccess: true, text };
    } catch (error) {
      return { isSuccess: false, ...explainDecisionError(error, refusals) };
    }
  }
}

export const isAllowing = (kind: string): boolean => kind.startsWith('allow');

export function explainDecisionError(error: unknown, refusals = REFUSALS): Omit<DecisionResult, 'isSuccess'> {
  if (error instanceof ServiceError && isMessageLost(error)) return MESSAGE_LOST;
  const refusal = error instanceof ServiceError && !isOutcomeUnknown(error) ? refusals[error.code ?? ''] : undefined;
  return refusal ?? { state: 'open', text: explainCallError(error, UNKNOWN_OUTCOME) };
}

/** Whether the device has executed a decision without its message (docs/protocol/agents.md#messages-with-decisions). */
const isMessageLost = ({ deviceErrorCode, deviceErrorMessage = '' }: ServiceError): boolean =>
  deviceErrorCode === 'internal' && deviceErrorMessage.startsWith('The decision was executed');
