import { getChoices, type Answers, type AnswerValue, type QuestionField, type QuestionSchema } from './questions';

/** An answer that doesn't fit its field. */
export interface AnswerViolation {
  field: string;
  /** What the answer must be, such as `must be an integer`. */
  reason: string;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Formats of the Agent Client Protocol. Others say nothing about the value. */
const FORMATS = new Map<string, (text: string) => boolean>([
  ['email', (text) => EMAIL.test(text)],
  ['uri', isUri],
  // A day that doesn't exist, such as 30 February, is another one after it was parsed.
  ['date', (text) => DATE.test(text) && toTime(text)?.toISOString().slice(0, 10) === text],
  ['date-time', (text) => DATE_TIME.test(text) && toTime(text) !== null],
]);

/**
 * Compares answers with the schema of their question, but not with the patterns of texts: those are regular
 * expressions of an agent, which only its device runs.
 */
export function findAnswerViolations(schema: QuestionSchema, answers: Answers): AnswerViolation[] {
  const fields = new Map(Object.entries(schema.properties));
  const given = new Map(Object.entries(answers));
  const violations = [...given.keys()]
    .filter((name) => !fields.has(name))
    .map((name) => ({ field: name, reason: 'is not a field of the question' }));
  for (const [name, field] of fields) {
    const value = given.get(name);
    const isMissing = value === undefined && schema.required.includes(name);
    const reason = isMissing ? 'is required' : value === undefined ? null : findValueViolation(field, value);
    if (reason !== null) violations.push({ field: name, reason });
  }
  return violations;
}

function findValueViolation(field: QuestionField, value: AnswerValue): string | null {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'number':
    case 'integer':
      if (typeof value !== 'number') return 'must be a number';
      if (field.type === 'integer' && !Number.isSafeInteger(value)) return 'must be an integer';
      return findRangeViolation(value, field.minimum, field.maximum);
    case 'array':
      if (!Array.isArray(value)) return 'must be a list';
      if (new Set(value).size < value.length) return 'must not repeat a choice';
      if (!value.every((item) => isChoice(field, item))) return 'must contain only choices of the field';
      return findRangeViolation(value.length, field.minItems, field.maxItems, 'choice');
    case 'string':
      if (typeof value !== 'string') return 'must be a string';
      if (!isChoice(field, value)) return 'must be one of the choices';
      if (!(FORMATS.get(field.format ?? '')?.(value) ?? true)) return `must have the format ${field.format}`;
      // JSON Schema counts characters, not units of UTF-16.
      return findRangeViolation([...value].length, field.minLength, field.maxLength, 'character');
  }
}

function isChoice(field: QuestionField, value: string): boolean {
  return getChoices(field)?.some((choice) => choice.const === value) ?? true;
}

/** @param unit of a count, such as `choice`. Without one, the value itself is limited */
function findRangeViolation(
  value: number,
  min: number | undefined,
  max: number | undefined,
  unit?: string,
): string | null {
  const describe = (bound: string, limit: number) =>
    unit === undefined ? `must be ${bound} ${limit}` : `must have ${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
  if (min !== undefined && value < min) return describe('at least', min);
  return max !== undefined && value > max ? describe('at most', max) : null;
}

function isUri(text: string): boolean {
  try {
    return new URL(text).protocol !== '';
  } catch {
    return false;
  }
}

function toTime(text: string): Date | null {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}
