import type { AnswerValue, QuestionField } from '../../index.ts';
import { UsageError } from '../errors.ts';

interface Choice {
  const: string;
  title: string;
  description?: string;
}

/** Returns what can be chosen; null for a field that isn't a choice. */
export function getChoices(field: QuestionField): Choice[] | null {
  if (field.type === 'array') return field.items.anyOf ?? toChoices(field.items.enum ?? []);
  if (field.type !== 'string') return null;
  return field.oneOf ?? (field.enum ? toChoices(field.enum) : null);
}

const toChoices = (values: string[]): Choice[] => values.map((value) => ({ const: value, title: value }));

/**
 * Reads an answer as people write it: choices by their value or number, several with commas between them, and `yes` or
 * `no`. The device compares it with the other rules of the form.
 */
export function parseAnswer(name: string, field: QuestionField, text: string): AnswerValue {
  switch (field.type) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return true;
      if (/^(n|no|false)$/i.test(text)) return false;
      throw new UsageError(`${name} takes yes or no.`);
    case 'number':
    case 'integer':
      if (text.trim() === '' || !Number.isFinite(Number(text))) throw new UsageError(`${name} takes a number.`);
      return Number(text);
    case 'array':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
        .map((part) => parseChoice(name, field, part));
    case 'string':
      return getChoices(field) ? parseChoice(name, field, text) : text;
  }
}

function parseChoice(name: string, field: QuestionField, text: string): string {
  const choices = getChoices(field) ?? [];
  const chosen = choices.find((choice) => choice.const === text) ?? choices[Number(text) - 1];
  if (chosen) return chosen.const;
  throw new UsageError(`${name} takes one of ${choices.map((choice) => choice.const).join(', ')}.`);
}

/** Writes an answer as {@link parseAnswer} reads it. */
export function formatAnswer(value: AnswerValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(',') : String(value);
}
