import { findAnswerViolations } from './question-answers';
import { findAnswersFormatViolation, getChoices, isQuestion, type AnswerValue, type QuestionField } from './questions';

const check = (field: QuestionField, value: AnswerValue) =>
  findAnswerViolations({ type: 'object', properties: { field }, required: [] }, { field: value }).map(
    ({ reason }) => reason,
  );
const CHOICES = [
  { const: 'a', title: 'A' },
  { const: 'b', title: 'B' },
];

describe('an answer', () => {
  it.each<[QuestionField, AnswerValue]>([
    [{ type: 'string' }, ''],
    [{ type: 'string', minLength: 2, maxLength: 2 }, '😀é'],
    [{ type: 'string', enum: ['a', 'b'] }, 'b'],
    [{ type: 'string', oneOf: CHOICES }, 'a'],
    [{ type: 'string', format: 'email' }, 'ada@example.com'],
    [{ type: 'string', format: 'uri' }, 'https://example.com/a?b'],
    [{ type: 'string', format: 'date' }, '2028-02-29'],
    [{ type: 'string', format: 'date-time' }, '2026-11-28T10:00:00.5+01:00'],
    [{ type: 'string', format: 'something' }, 'anything'],
    [{ type: 'number', minimum: 0.5, maximum: 0.5 }, 0.5],
    [{ type: 'integer', minimum: -1 }, -1],
    [{ type: 'boolean' }, false],
    [{ type: 'array', items: { anyOf: CHOICES }, minItems: 1, maxItems: 2 }, ['b', 'a']],
    [{ type: 'array', items: { type: 'string', enum: ['a'] } }, []],
  ])('fits %j: %j', (field, value) => {
    expect(check(field, value)).toEqual([]);
  });

  it.each<[QuestionField, AnswerValue, string]>([
    [{ type: 'string' }, 1, 'must be a string'],
    [{ type: 'string', minLength: 2 }, '😀', 'must have at least 2 characters'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'must have at most 1 character'],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'must be one of the choices'],
    [{ type: 'string', oneOf: CHOICES }, 'A', 'must be one of the choices'],
    [{ type: 'string', format: 'email' }, 'ada', 'must have the format email'],
    [{ type: 'string', format: 'uri' }, '/a', 'must have the format uri'],
    [{ type: 'string', format: 'date' }, '2026-02-29', 'must have the format date'],
    [{ type: 'string', format: 'date-time' }, '2026-11-28', 'must have the format date-time'],
    [{ type: 'number', minimum: 0.5 }, 0.4, 'must be at least 0.5'],
    [{ type: 'number' }, '1', 'must be a number'],
    [{ type: 'integer' }, 1.5, 'must be an integer'],
    [{ type: 'integer', maximum: 3 }, 4, 'must be at most 3'],
    [{ type: 'boolean' }, 'true', 'must be true or false'],
    [{ type: 'array', items: { anyOf: CHOICES } }, 'a', 'must be a list'],
    [{ type: 'array', items: { anyOf: CHOICES } }, ['c'], 'must contain only choices of the field'],
    [{ type: 'array', items: { anyOf: CHOICES } }, ['a', 'a'], 'must not repeat a choice'],
    [{ type: 'array', items: { anyOf: CHOICES }, minItems: 1 }, [], 'must have at least 1 choice'],
    [{ type: 'array', items: { anyOf: CHOICES }, minItems: 2 }, ['a'], 'must have at least 2 choices'],
    [{ type: 'array', items: { anyOf: CHOICES }, maxItems: 1 }, ['a', 'b'], 'must have at most 1 choice'],
  ])('does not fit %j: %j', (field, value, reason) => {
    expect(check(field, value)).toEqual([reason]);
  });

  it('is required only if the schema says so, and has a field', () => {
    const properties = { a: { type: 'boolean' }, b: { type: 'boolean' } } as const;
    const schema = { type: 'object', properties, required: ['a'] } as const;
    expect(findAnswerViolations({ ...schema, required: ['a'] }, { c: true, toString: 'x' })).toEqual([
      { field: 'c', reason: 'is not a field of the question' },
      { field: 'toString', reason: 'is not a field of the question' },
      { field: 'a', reason: 'is required' },
    ]);
    expect(findAnswerViolations({ ...schema, required: ['a'] }, { a: true })).toEqual([]);
  });
});

describe('the form of answers', () => {
  const createAnswers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, true]));
  /** Answers of this many bytes of JSON. */
  const createLongAnswer = (byteCount: number) => ({ a: `é${'x'.repeat(byteCount - 10)}` });

  it.each([[{}], [{ a: 'x', b: 1.5, c: false, d: [], e: ['x'] }]])('can be %j', (answers) => {
    expect(findAnswersFormatViolation(answers)).toBeNull();
  });

  it('has at most 16 members and 8192 bytes', () => {
    for (const answers of [createAnswers(16), createLongAnswer(8_192)])
      expect(findAnswersFormatViolation(answers)).toBeNull();
    expect(findAnswersFormatViolation(createAnswers(17))).toBe('must have at most 16 members');
    expect(findAnswersFormatViolation(createLongAnswer(8_193))).toBe('must have at most 8192 bytes of JSON');
  });

  it.each([
    [null, 'must be an object'],
    [['a'], 'must be an object'],
    [{ a: {} }, 'must contain only strings, numbers, booleans and lists of strings'],
    [{ a: null }, 'must contain only strings, numbers, booleans and lists of strings'],
    [{ a: [1] }, 'must contain only strings, numbers, booleans and lists of strings'],
    [{ a: NaN }, 'must contain only strings, numbers, booleans and lists of strings'],
  ])('cannot be %j', (answers, violation) => {
    expect(findAnswersFormatViolation(answers)).toBe(violation);
  });
});

it('tells questions from tool calls by kind and options', () => {
  expect(isQuestion({ kind: 'question', options: [] })).toBe(true);
  expect(isQuestion({ kind: 'question', options: [{ optionId: 'o1' }] })).toBe(false);
  expect(isQuestion({ kind: 'execute', options: [] })).toBe(false);
});

it('names values without titles by themselves', () => {
  expect(getChoices({ type: 'array', items: { type: 'string', enum: ['a'] } })).toEqual([{ const: 'a', title: 'a' }]);
  expect(getChoices({ type: 'string' })).toBeNull();
});
