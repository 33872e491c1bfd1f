import { Script } from 'node:vm';
import type { AnswerValue, QuestionChoice, QuestionField } from '@external-api/protocol';
import { isJsonObject, isText, type JsonObject } from '../untrusted-values';
import { toDisplayedLine, toDisplayedText } from './displayed-text';

/** Thrown for a form that can't be shown. */
export class FormError extends Error {
  override readonly name = 'FormError';
}

/** One field of a form. */
export interface FormField {
  /** The field that people are shown. */
  shown: QuestionField;
  pattern?: BoundedPattern;
  /** The agent's own values of the choices, by the shown ones. */
  values?: ReadonlyMap<string, string>;
}

interface Choices {
  shown: QuestionChoice[];
  values: ReadonlyMap<string, string>;
}

/**
 * Reads a field as the Agent Client Protocol defines it. Members that it doesn't define are left out, and so is a
 * default value that doesn't fit.
 * @throws FormError for other types of fields, such as nested ones, and for rules that aren't valid
 */
export function readField(value: unknown): FormField {
  if (!isJsonObject(value)) throw new FormError('a field is not an object');
  switch (value.type) {
    case 'string':
      return readTextField(value);
    case 'number':
    case 'integer':
      return readNumberField(value, value.type);
    case 'boolean':
      return { shown: { type: 'boolean', ...readLabels(value), ...readDefault(value, isBoolean) } };
    case 'array':
      return readListField(value);
    default:
      throw new FormError('a field has a type that forms don’t have');
  }
}

/** Returns what people read about a field or a form. */
export function readLabels({ title, description }: JsonObject): { title?: string; description?: string } {
  const [shownTitle, shownDescription] = [toDisplayedLine(title), isText(description) ? description.trim() : ''];
  return {
    ...(shownTitle !== '' && { title: shownTitle }),
    ...(shownDescription !== '' && { description: toDisplayedText(shownDescription) }),
  };
}

function readTextField(field: JsonObject): FormField {
  const labels = readLabels(field);
  if (isPresent(field.enum) || isPresent(field.oneOf)) {
    const { shown, values } = readChoices(field.oneOf ?? field.enum);
    const isChoice = (text: unknown): text is string => shown.some((choice) => choice.const === text);
    return { shown: { type: 'string', ...labels, oneOf: shown, ...readDefault(field, isChoice) }, values };
  }
  const source = readOptional(field.pattern, isText, 'pattern');
  const shown: QuestionField = {
    type: 'string',
    ...labels,
    ...readLimits(field, ['minLength', 'maxLength'], isCount),
    ...(source !== undefined && { pattern: toDisplayedText(source) }),
    ...(isText(field.format) && { format: toDisplayedLine(field.format) }),
    ...readDefault(field, isShownText),
  };
  return { shown, ...(source !== undefined && { pattern: new BoundedPattern(source) }) };
}

function readNumberField(field: JsonObject, type: 'number' | 'integer'): FormField {
  const isAllowed = type === 'integer' ? isSafeInteger : isFiniteNumber;
  const limits = readLimits(field, ['minimum', 'maximum'], isFiniteNumber);
  return { shown: { type, ...readLabels(field), ...limits, ...readDefault(field, isAllowed) } };
}

function readListField(field: JsonObject): FormField {
  const { items } = field;
  if (!isJsonObject(items)) throw new FormError('a list has no choices');
  const { shown, values } = readChoices(items.anyOf ?? items.enum);
  const isChoiceList = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((item) => shown.some((choice) => choice.const === item));
  const limits = readLimits(field, ['minItems', 'maxItems'], isCount);
  const labels = readLabels(field);
  return {
    shown: { type: 'array', ...labels, items: { anyOf: shown }, ...limits, ...readDefault(field, isChoiceList) },
    values,
  };
}

/** No two choices look alike, so that nobody chooses another one than the shown one. */
function readChoices(list: unknown): Choices {
  if (!Array.isArray(list) || list.length === 0) throw new FormError('a choice has no values');
  const values = new Map<string, string>();
  const shown = list.map((item: unknown) => {
    const choice = isJsonObject(item) ? item : { const: item };
    if (!isText(choice.const)) throw new FormError('a choice is not a text');
    const value = toDisplayedText(choice.const);
    if (values.has(value)) throw new FormError('two choices look alike');
    values.set(value, choice.const);
    return { const: value, title: value, ...readLabels(choice) };
  });
  return { shown, values };
}

function readLimits<Name extends string>(
  field: JsonObject,
  names: readonly Name[],
  isValid: (value: unknown) => value is number,
): Partial<Record<Name, number>> {
  const limits = names.map((name) => [name, readOptional(field[name], isValid, name)] as const);
  return Object.fromEntries(limits.filter(([, value]) => value !== undefined)) as Partial<Record<Name, number>>;
}

/** @throws FormError for a value that isn't valid: without the rule, answers would be accepted that break it */
function readOptional<T>(value: unknown, isValid: (value: unknown) => value is T, name: string): T | undefined {
  if (!isPresent(value)) return undefined;
  if (!isValid(value)) throw new FormError(`a ${name} is not valid`);
  return value;
}

function readDefault<T extends AnswerValue>(
  { default: value }: JsonObject,
  isValid: (value: unknown) => value is T,
): { default?: T } {
  return isValid(value) ? { default: value } : {};
}

/** The protocol takes `null` for absent. */
const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);
const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isSafeInteger(value) && value >= 0;
/** What people can't see, they can't check before they send it. */
const isShownText = (value: unknown): value is string => isText(value) && toDisplayedText(value) === value;

/** The event loop of the device stands still meanwhile. */
const PATTERN_TIME_LIMIT_MS = 50;

const PATTERN_SCRIPT = new Script('new RegExp(source, "u").test(text)');

/**
 * Regular expression of an agent, which may take for ever for some texts. One that does, or that isn't valid, matches
 * every text from then on: the agent checks answers itself.
 */
class BoundedPattern {
  private isUsable = true;

  constructor(private readonly source: string) {}

  matches(text: string): boolean {
    if (!this.isUsable) return true;
    try {
      return PATTERN_SCRIPT.runInNewContext(
        { source: this.source, text },
        { timeout: PATTERN_TIME_LIMIT_MS },
      ) as boolean;
    } catch {
      this.isUsable = false;
      return true;
    }
  }
}
