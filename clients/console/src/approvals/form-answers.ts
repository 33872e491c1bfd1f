import {
  findAnswerViolations,
  getChoices,
  type Answers,
  type AnswerValue,
  type QuestionField,
  type QuestionSchema,
} from '@external-api/protocol/portable';

/** What a person has entered: answers, or why they can't be sent, by the name of the field. */
export type EnteredAnswers = { answers: Answers } | { problems: ReadonlyMap<string, string> };

/** Returns the name of a field's inputs. Those of an agent could be any text. */
export const getInputName = (index: number): string => `field-${index}`;

/** Reads the inputs of the form. Optional fields without a value are left out. */
export function readAnswers(data: FormData, schema: QuestionSchema): EnteredAnswers {
  const fields = Object.entries(schema.properties);
  const entries = fields.flatMap(([name, field], index): [string, AnswerValue][] => {
    const value = readValue(data.getAll(getInputName(index)).map(String), field, schema.required.includes(name));
    return value === undefined ? [] : [[name, value]];
  });
  const answers = Object.fromEntries(entries);
  const violations = findAnswerViolations(schema, answers);
  if (violations.length === 0) return { answers };
  return { problems: new Map(violations.map(({ field, reason }) => [field, `This ${reason}.`])) };
}

function readValue(values: string[], field: QuestionField, isRequired: boolean): AnswerValue | undefined {
  const [value = ''] = values;
  switch (field.type) {
    case 'boolean':
      return values.length > 0;
    case 'array':
      return values.length > 0 || isRequired ? values : undefined;
    case 'number':
    case 'integer':
      return value.trim() === '' ? undefined : Number(value);
    case 'string':
      // An empty text may be an answer, but not a choice.
      return value !== '' || (isRequired && !getChoices(field)) ? value : undefined;
  }
}
