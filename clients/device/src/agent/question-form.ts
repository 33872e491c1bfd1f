import {
  findAnswerViolations,
  MAX_QUESTION_BYTES,
  MAX_QUESTION_FIELDS,
  type Answers,
  type AnswerValue,
  type AnswerViolation,
  type QuestionContent,
  type QuestionSchema,
} from '@external-api/protocol';
import { isJsonObject, isText, type JsonObject } from '../untrusted-values';
import { toBoundedText, toDisplayedText } from './displayed-text';
import { FormError, readField, readLabels, type FormField } from './question-fields';

const MAX_MESSAGE_BYTES = 4_096;
const DEFAULT_TITLE = 'Question';

/** A field under its shown name. */
interface NamedField extends FormField {
  /** What the agent calls it. */
  originalName: string;
}

/**
 * A form of an agent (agentclientprotocol.com/protocol/v1/elicitation): how people are shown it, and how the agent gets
 * the answers.
 */
export class QuestionForm {
  readonly content: QuestionContent;

  private constructor(
    message: unknown,
    schema: JsonObject,
    private readonly fields: ReadonlyMap<string, NamedField>,
  ) {
    const labels = readLabels(schema);
    const shownSchema: QuestionSchema = {
      type: 'object',
      ...labels,
      properties: Object.fromEntries([...fields].map(([name, { shown }]) => [name, shown])),
      required: readRequired(schema.required, fields),
    };
    requireSize(shownSchema);
    const shownMessage = toBoundedText(isText(message) ? message.trim() : '', MAX_MESSAGE_BYTES);
    this.content = { title: labels.title ?? DEFAULT_TITLE, message: shownMessage, schema: shownSchema };
  }

  /**
   * Reads the parameters of `elicitation/create`.
   * @throws FormError for a mode other than forms, and for a form that isn't flat or too large
   */
  static parse({ mode, message, requestedSchema }: JsonObject): QuestionForm {
    if (mode !== 'form') throw new FormError('only forms can be shown');
    if (!isJsonObject(requestedSchema)) throw new FormError('it has no form');
    requireSize(requestedSchema);
    const { properties = {} } = requestedSchema;
    if (!isJsonObject(properties)) throw new FormError('its form has no fields');
    const entries = Object.entries(properties);
    if (entries.length > MAX_QUESTION_FIELDS)
      throw new FormError(`its form has ${entries.length} fields, and may have ${MAX_QUESTION_FIELDS}`);
    const fields = new Map(
      entries.map(([name, field]) => [toDisplayedText(name), { originalName: name, ...readField(field) }]),
    );
    if (fields.size < entries.length) throw new FormError('two fields of its form look alike');
    return new QuestionForm(message, requestedSchema, fields);
  }

  findViolation(answers: Answers): AnswerViolation | null {
    const [violation] = findAnswerViolations(this.content.schema, answers);
    if (violation) return violation;
    for (const [name, value] of Object.entries(answers))
      if (isText(value) && !(this.fields.get(name)?.pattern?.matches(value) ?? true))
        return { field: name, reason: 'must match the pattern of the field' };
    return null;
  }

  /** Returns answers without a violation as the agent has named its fields and choices. */
  toAgentAnswers(answers: Answers): Answers {
    const entries = Object.entries(answers).map(([name, value]) => {
      const { originalName, values } = this.fields.get(name)!;
      const toOriginal = (text: string): string => values?.get(text) ?? text;
      return [originalName, mapTexts(value, toOriginal)] as const;
    });
    return Object.fromEntries(entries);
  }
}

function mapTexts(value: AnswerValue, map: (text: string) => string): AnswerValue {
  if (Array.isArray(value)) return value.map(map);
  return isText(value) ? map(value) : value;
}

function readRequired(value: unknown, fields: ReadonlyMap<string, NamedField>): string[] {
  const names: unknown[] = Array.isArray(value) ? value : [];
  const required = [...fields].filter(([, { originalName }]) => names.includes(originalName)).map(([name]) => name);
  if (required.length < new Set(names).size) throw new FormError('its form requires fields that it doesn’t have');
  return required;
}

function requireSize(schema: object): void {
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_QUESTION_BYTES)
    throw new FormError(`its form has more than ${MAX_QUESTION_BYTES} bytes`);
}
