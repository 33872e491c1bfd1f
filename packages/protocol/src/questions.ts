/** A question is a permission request that is decided with answers to a form (docs/protocol/agents.md#questions). */

/** `kind` of a permission request that is a question. It has no options. */
export const QUESTION_KIND = 'question';
export const MAX_QUESTION_FIELDS = 16;
/** Maximum length of the schema of a question, and of its answers, in bytes of JSON. */
export const MAX_QUESTION_BYTES = 8_192;
/** Maximum length of the compact JWE of answers, in characters. */
export const MAX_SEALED_ANSWERS_LENGTH = 16_384;
export const QUESTION_MEDIA_TYPE = 'application/vnd.external-api.question+json';
export const ANSWERS_MEDIA_TYPE = 'application/vnd.external-api.answers+json';

export type AnswerValue = string | number | boolean | string[];
/** Answers by the name of their field. */
export type Answers = Record<string, AnswerValue>;

export interface QuestionChoice {
  const: string;
  title: string;
  description?: string;
}

interface FieldLabels {
  title?: string;
  description?: string;
}

interface TextField extends FieldLabels {
  type: 'string';
  minLength?: number;
  maxLength?: number;
  /** Regular expression of the agent. Never run it without a limit of its time. */
  pattern?: string;
  format?: string;
  default?: string;
  /** The only values that can be chosen, in one of two forms. */
  enum?: string[];
  oneOf?: QuestionChoice[];
}

interface NumberField extends FieldLabels {
  type: 'number' | 'integer';
  minimum?: number;
  maximum?: number;
  default?: number;
}

interface BooleanField extends FieldLabels {
  type: 'boolean';
  default?: boolean;
}

/** Any number of choices. */
interface ListField extends FieldLabels {
  type: 'array';
  items: { type: 'string'; enum: string[] } | { anyOf: QuestionChoice[] };
  minItems?: number;
  maxItems?: number;
  default?: string[];
}

export type QuestionField = TextField | NumberField | BooleanField | ListField;

/** The flat JSON schema of forms in the Agent Client Protocol. */
export interface QuestionSchema {
  type: 'object';
  title?: string;
  description?: string;
  properties: Record<string, QuestionField>;
  required: string[];
}

/** Content of a question, before it is encrypted. */
export interface QuestionContent {
  title: string;
  message: string;
  schema: QuestionSchema;
}

/** Whether a permission request is a question. A tool call of that kind has options. */
export const isQuestion = ({ kind, options }: { kind: string; options: readonly unknown[] }): boolean =>
  kind === QUESTION_KIND && options.length === 0;

/** Returns the values that can be chosen, with their titles; null for a field that isn't a choice. */
export function getChoices(field: QuestionField): QuestionChoice[] | null {
  if (field.type === 'string') return field.oneOf ?? (field.enum ? toChoices(field.enum) : null);
  if (field.type !== 'array') return null;
  return 'anyOf' in field.items ? field.items.anyOf : toChoices(field.items.enum);
}

const toChoices = (values: readonly string[]): QuestionChoice[] =>
  values.map((value) => ({ const: value, title: value }));

/** Returns why the value can't be answers to any question, or null. */
export function findAnswersFormatViolation(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const values: unknown[] = Object.values(value);
  if (values.length > MAX_QUESTION_FIELDS) return `must have at most ${MAX_QUESTION_FIELDS} members`;
  if (!values.every(isAnswerValue)) return 'must contain only strings, numbers, booleans and lists of strings';
  const byteCount = new TextEncoder().encode(JSON.stringify(value)).length;
  return byteCount > MAX_QUESTION_BYTES ? `must have at most ${MAX_QUESTION_BYTES} bytes of JSON` : null;
}

function isAnswerValue(value: unknown): value is AnswerValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
