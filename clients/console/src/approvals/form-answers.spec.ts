import type { QuestionSchema } from '@external-api/protocol/portable';
import { getInputName, readAnswers } from './form-answers';

const CHOICES = { oneOf: [{ const: 'a', title: 'A' }] };
const schema: QuestionSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    choice: { type: 'string', ...CHOICES },
    port: { type: 'integer', minimum: 2 },
    fast: { type: 'boolean' },
    tags: { type: 'array', items: { anyOf: CHOICES.oneOf } },
  },
  required: [],
};
const INDEXES = Object.keys(schema.properties);

const read = (values: Record<string, string[]>, change: Partial<QuestionSchema> = {}) => {
  const data = new FormData();
  for (const [name, list] of Object.entries(values))
    for (const value of list) data.append(getInputName(INDEXES.indexOf(name)), value);
  return readAnswers(data, { ...schema, ...change });
};

describe('what a person enters', () => {
  it('becomes answers of the types of the fields', () => {
    expect(read({ text: ['x'], choice: ['a'], port: ['5432'], fast: ['on'], tags: ['a'] })).toEqual({
      answers: { text: 'x', choice: 'a', port: 5432, fast: true, tags: ['a'] },
    });
  });

  it('leaves out optional fields without a value, except checkboxes', () => {
    expect(read({ text: [''], choice: [''], port: [' '] })).toEqual({ answers: { fast: false } });
  });

  it('answers required fields also with an empty text or list', () => {
    expect(read({ text: [''] }, { required: ['text', 'tags'] })).toEqual({
      answers: { text: '', fast: false, tags: [] },
    });
  });

  it.each([
    [{ port: ['one'] }, 'port', 'This must be an integer.'],
    [{ port: ['1'] }, 'port', 'This must be at least 2.'],
    [{ choice: ['other'] }, 'choice', 'This must be one of the choices.'],
    [{ choice: [''] }, 'choice', 'This is required.'],
  ])('%j can not be sent', (values, field, problem) => {
    const entered = read(values, { required: field === 'choice' ? ['choice'] : [] });
    expect('problems' in entered && [...entered.problems]).toEqual([[field, problem]]);
  });
});
