import { QUESTION_KIND, type Answers, type AnswerViolation, type QuestionContent } from '@external-api/protocol';
import { toArray, toObject, type JsonObject } from './acp';
import type { AgentQuestion } from './agent-question';
import { CANCELLED_RESPONSE, type OfferedOption } from './permission-request';
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

/**
 * Returns the questions of a permission request that wants answers, as Qwen Code asks with its tool
 * `ask_user_question`: `[{question, header, options: [{label, description}], multiSelect?}]`. Null for other requests.
 */
export function findPermissionQuestions({ _meta }: JsonObject): JsonObject[] | null {
  const { qwenInteractionKind, qwenQuestions } = toObject(_meta);
  return qwenInteractionKind === 'user_question' ? toArray(qwenQuestions).map(toObject) : null;
}

/** Returns the parameters of a form with one field for each question. */
export function toQuestionForm(questions: readonly JsonObject[]): JsonObject {
  const fields = questions.map(({ question, header, options, multiSelect }, index) => {
    const choices = toArray(options)
      .map(toObject)
      .map(({ label, description }) => ({ const: label, description }));
    const labels = { title: header, description: question };
    const field = { type: 'array', ...labels, items: { anyOf: choices }, minItems: 1 };
    return [toFieldName(index), multiSelect === true ? field : { type: 'string', ...labels, oneOf: choices }] as const;
  });
  const title = questions.length === 1 ? questions[0]!.header : undefined;
  const required = fields.map(([name]) => name);
  return {
    mode: 'form',
    requestedSchema: { type: 'object', title, properties: Object.fromEntries(fields), required },
  };
}

/** Returns what the agent gets: the option that stands for what became of the form, and the answers by their place. */
export function toPermissionResponse(response: FormResponse, options: readonly OfferedOption[]): object {
  if (response.action === 'cancel') return CANCELLED_RESPONSE;
  const kind = response.action === 'accept' ? 'allow_once' : 'reject_once';
  const option = options.find((offered) => offered.kind === kind);
  if (!option) return CANCELLED_RESPONSE;
  const answers = response.action === 'accept' && { answers: toIndexedAnswers(response.content) };
  return { outcome: { outcome: 'selected', optionId: option.agentOptionId }, ...answers };
}

const toFieldName = (index: number): string => `answer${index + 1}`;

/** Several choices of one question are one text. */
function toIndexedAnswers(answers: Answers): Record<string, string> {
  const entries = Object.entries(answers).map(([name, value]) => {
    const index = Number(name.replace('answer', '')) - 1;
    return [String(index), Array.isArray(value) ? value.join(', ') : String(value)] as const;
  });
  return Object.fromEntries(entries);
}
