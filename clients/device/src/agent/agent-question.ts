import type { Answers, AnswerViolation, QUESTION_KIND, QuestionContent } from '@external-api/protocol';

/** An open form that the agent wants filled in. The first answer counts. */
export interface AgentQuestion {
  readonly kind: typeof QUESTION_KIND;
  readonly options: readonly never[];
  /** With escapes for invisible characters. */
  readonly content: QuestionContent;
  /** Resolves when the question has been answered, also if the turn was cancelled or the agent has died. */
  readonly closed: Promise<unknown>;

  /** Compares answers with the schema, and texts with the agent's patterns for a short time. */
  findViolation(answers: Answers): AnswerViolation | null;
  /** Returns false when the question is no longer open, like the two others. @param answers without a violation */
  answer(answers: Answers): boolean;
  /** Answers that nobody wants to answer. */
  decline(): boolean;
  /** Answers that the question was cancelled. */
  cancel(): boolean;
}

export const isAgentQuestion = (request: object): request is AgentQuestion => 'findViolation' in request;
