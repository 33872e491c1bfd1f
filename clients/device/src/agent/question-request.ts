import { QUESTION_KIND, type Answers, type AnswerViolation, type QuestionContent } from '@external-api/protocol';
import type { AgentQuestion } from './agent-question';
import type { QuestionForm } from './question-form';

/** Results of `elicitation/create`. */
export const DECLINED_FORM = { action: 'decline' } as const;
export const CANCELLED_FORM = { action: 'cancel' } as const;
export type FormResponse = typeof DECLINED_FORM | typeof CANCELLED_FORM | { action: 'accept'; content: Answers };

/** One `elicitation/create` of the agent, until the first answer. */
export class QuestionRequest implements AgentQuestion {
  readonly kind = QUESTION_KIND;
  readonly options: readonly never[] = [];
  /** The result of the agent's request. */
  readonly closed: Promise<FormResponse>;
  private close!: (response: FormResponse) => void;
  private isOpen = true;

  constructor(
    private readonly form: QuestionForm,
    private readonly onClosed: (question: QuestionRequest) => void,
  ) {
    this.closed = new Promise((resolve) => (this.close = resolve));
  }

  get content(): QuestionContent {
    return this.form.content;
  }

  findViolation(answers: Answers): AnswerViolation | null {
    return this.form.findViolation(answers);
  }

  answer(answers: Answers): boolean {
    return this.closeWith({ action: 'accept', content: this.form.toAgentAnswers(answers) });
  }

  decline(): boolean {
    return this.closeWith(DECLINED_FORM);
  }

  cancel(): boolean {
    return this.closeWith(CANCELLED_FORM);
  }

  private closeWith(response: FormResponse): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.close(response);
    this.onClosed(this);
    return true;
  }
}
