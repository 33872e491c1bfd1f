import { QuestionForm } from './question-form';

const parse = (requestedSchema: unknown, change: object = {}) =>
  QuestionForm.parse({ mode: 'form', message: 'Which one?', requestedSchema, ...change });
const parseFields = (properties: object, change: object = {}) => parse({ type: 'object', properties, ...change });
const createFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'boolean' }]));

describe('a form', () => {
  it('is shown with the rules of the protocol and nothing else', () => {
    const form = parse({
      type: 'object',
      title: 'Database',
      description: 'For the tests',
      $schema: 'x',
      properties: {
        name: {
          ...{
            type: 'string',
            title: 'Name',
            minLength: 1,
            maxLength: 9,
            pattern: '^a',
            format: 'email',
            default: 'ab',
          },
          ...{ minimum: 3, _meta: {}, description: null },
        },
        kind: { type: 'string', enum: ['a', 'b'], default: 'b' },
        port: { type: 'integer', minimum: 1, maximum: 2.5, default: 1.5 },
        fast: { type: 'boolean', default: true },
        tags: {
          ...{ type: 'array', minItems: 1, maxItems: null, default: ['x', 'y'], uniqueItems: true },
          items: { anyOf: [{ const: 'x', title: 'X', description: 'first' }, { const: 'y' }] },
        },
      },
      required: ['name', 'tags'],
    });
    expect(form.content).toEqual({
      title: 'Database',
      message: 'Which one?',
      schema: {
        type: 'object',
        title: 'Database',
        description: 'For the tests',
        properties: {
          name: {
            ...{ type: 'string', title: 'Name', minLength: 1, maxLength: 9, pattern: '^a', format: 'email' },
            default: 'ab',
          },
          kind: {
            type: 'string',
            oneOf: [
              { const: 'a', title: 'a' },
              { const: 'b', title: 'b' },
            ],
            default: 'b',
          },
          port: { type: 'integer', minimum: 1, maximum: 2.5 },
          fast: { type: 'boolean', default: true },
          tags: {
            ...{ type: 'array', minItems: 1, default: ['x', 'y'] },
            items: {
              anyOf: [
                { const: 'x', title: 'X', description: 'first' },
                { const: 'y', title: 'y' },
              ],
            },
          },
        },
        required: ['name', 'tags'],
      },
    });
  });

  it.each([
    ['another mode', () => parse({}, { mode: 'url', url: 'https://example.com' }), 'only forms can be shown'],
    ['no mode', () => parse({}, { mode: undefined }), 'only forms can be shown'],
    ['no schema', () => parse(null), 'it has no form'],
    ['no fields', () => parse({ properties: [] }), 'its form has no fields'],
    ['17 fields', () => parseFields(createFields(17)), 'its form has 17 fields, and may have 16'],
    ['a nested object', () => parseFields({ a: { type: 'object', properties: {} } }), /a type that forms don’t have/],
    ['a list of numbers', () => parseFields({ a: { type: 'array', items: { type: 'number' } } }), /has no values/],
    ['a list without choices', () => parseFields({ a: { type: 'array' } }), 'a list has no choices'],
    ['several types', () => parseFields({ a: { type: ['string', 'null'] } }), /a type that forms don’t have/],
    ['a field that is no schema', () => parseFields({ a: true }), 'a field is not an object'],
    ['choices of other types', () => parseFields({ a: { type: 'string', enum: [1] } }), 'a choice is not a text'],
    [
      'a rule of another type',
      () => parseFields({ a: { type: 'string', minLength: '1' } }),
      'a minLength is not valid',
    ],
    ['a pattern of another type', () => parseFields({ a: { type: 'string', pattern: {} } }), 'a pattern is not valid'],
    ['a required field that it lacks', () => parseFields({}, { required: ['a'] }), /requires fields/],
    ['huge texts', () => parseFields({ a: { type: 'string', title: 'x'.repeat(9_000) } }), /more than 8192 bytes/],
    [
      'texts that are huge once they are visible',
      () => parseFields({ a: { type: 'string', description: '\u200b'.repeat(2_000) } }),
      /more than 8192 bytes/,
    ],
    [
      'choices that look alike',
      () => parseFields({ a: { type: 'string', enum: ['a\u200b', 'a\\u{200b}'] } }),
      'two choices look alike',
    ],
    [
      'fields that look alike',
      () => parseFields({ 'a\u200b': { type: 'boolean' }, 'a\\u{200b}': { type: 'boolean' } }),
      'two fields of its form look alike',
    ],
  ])('is refused with %s', (_, read, message) => {
    expect(read).toThrow(message);
  });

  it('shows what people cannot see, and bounds the message', () => {
    const { content } = parse(
      { properties: { a: { type: 'boolean', title: 'Ri\u202eght', description: '\u001b[2J' } } },
      { message: `${'\u0007'.repeat(10)}${'x'.repeat(10_000)}` },
    );
    expect(content.schema.properties).toEqual({
      a: { type: 'boolean', title: 'Ri\\u{202e}ght', description: '\\u{1b}[2J' },
    });
    expect(Buffer.byteLength(content.message)).toBeLessThanOrEqual(4_096);
    expect(content.message).toMatch(/^\\u\{7\}.*bytes left out/s);
  });

  it('may have no fields, for a confirmation', () => {
    const form = parse({});
    expect(form.content).toEqual({
      title: 'Question',
      message: 'Which one?',
      schema: { type: 'object', properties: {}, required: [] },
    });
    expect(form.findViolation({})).toBeNull();
  });
});

describe('answers', () => {
  it('reach the agent with its own names and values', () => {
    const properties = {
      'na\u200bme': { type: 'string', enum: ['\u001bx'] },
      tags: { type: 'array', items: { type: 'string', enum: ['a\u00a0b', 'c'] } },
      note: { type: 'string' },
    };
    const form = parseFields(properties);
    expect(Object.keys(form.content.schema.properties)).toEqual(['na\\u{200b}me', 'tags', 'note']);
    const answers = { 'na\\u{200b}me': '\\u{1b}x', tags: ['a\\u{a0}b', 'c'], note: '\\u{1b}' };
    expect(form.findViolation(answers)).toBeNull();
    expect(form.toAgentAnswers(answers)).toEqual({
      'na\u200bme': '\u001bx',
      tags: ['a\u00a0b', 'c'],
      note: '\\u{1b}',
    });
  });

  it('change no prototype', () => {
    const properties = JSON.parse('{"__proto__": {"type": "boolean"}}') as object;
    const answers = JSON.parse('{"__proto__": true}') as Record<string, boolean>;
    const form = parseFields(properties);
    expect(form.findViolation(answers)).toBeNull();
    expect(JSON.stringify(form.toAgentAnswers(answers))).toBe('{"__proto__":true}');
  });

  it('must fit the schema and the patterns', () => {
    const form = parseFields({ name: { type: 'string', pattern: '^\\p{Lu}+$' }, port: { type: 'integer' } });
    expect(form.findViolation({ port: 1.5 })).toEqual({ field: 'port', reason: 'must be an integer' });
    expect(form.findViolation({ name: 'abc' })).toEqual({
      field: 'name',
      reason: 'must match the pattern of the field',
    });
    expect(form.findViolation({ name: 'ABC', port: 1 })).toBeNull();
  });

  it.each([
    ['takes for ever', '^(a+)+$'],
    ['is not valid', '('],
  ])('are not compared with a pattern that %s', (_, pattern) => {
    const form = parseFields({ name: { type: 'string', pattern } });
    expect(form.findViolation({ name: `${'a'.repeat(100)}!` })).toBeNull();
  });
});
