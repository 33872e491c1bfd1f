import type { OpenApiDocument, OpenApiSchema } from './openapi-types';
import { listVariants } from './schema-fields';

const SCHEMAS: Record<string, OpenApiSchema> = {
  Agent: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  Node: { type: 'object', properties: { child: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } } },
  Plain: { type: 'object', properties: { text: { type: 'string' } } },
  Sealed: { type: 'object', properties: { sealed: { type: 'string' } } },
};
const DOCUMENT = { components: { schemas: SCHEMAS } } as unknown as OpenApiDocument;
const ref = (name: string): OpenApiSchema => ({ $ref: `#/components/schemas/${name}` });
const listFields = (properties: Record<string, OpenApiSchema>, required: string[] = []) =>
  listVariants(DOCUMENT, { type: 'object', properties, required })[0]!.fields;
const describeOne = (schema: OpenApiSchema) => listFields({ x: schema })[0]!;

describe('the fields of a schema', () => {
  it('have types in words', () => {
    const types: [OpenApiSchema, string][] = [
      [{ type: 'string' }, 'string'],
      [{ type: ['integer', 'null'], format: 'int64' }, 'integer or null'],
      [{ type: 'string', format: 'uri' }, 'string (uri)'],
      [{ type: 'array', items: { type: 'string' } }, 'array of strings'],
      [{ type: 'array', items: ref('Agent') }, 'array of objects'],
      [{ type: 'array', items: { type: ['string', 'null'] } }, 'array of (string or null)'],
      [{ anyOf: [ref('Agent'), { type: 'null' }] }, 'object or null'],
      [{ oneOf: [{ type: 'string' }, ref('Agent')] }, 'string or object'],
      [{ enum: ['a'] }, 'string'],
      [{}, 'any'],
    ];
    for (const [schema, type] of types) expect([schema, describeOne(schema).type]).toEqual([schema, type]);
  });

  it('have constraints in words', () => {
    expect(describeOne({ type: 'string', minLength: 1, maxLength: 4096, pattern: '^a$' }).constraints).toEqual([
      '1 to 4,096 characters',
      'matches ^a$',
    ]);
    expect(describeOne({ type: 'integer', minimum: 0, maximum: 30000, default: 20 }).constraints).toEqual([
      'at most 30,000',
      'default 20',
    ]);
    expect(describeOne({ type: 'array', minItems: 1, uniqueItems: true, items: {} }).constraints).toEqual([
      'at least 1 element',
      'unique elements',
    ]);
    expect(describeOne({ type: 'string', minLength: 3, maxLength: 3 }).constraints).toEqual(['3 characters']);
    expect(describeOne({ type: 'string', maxLength: 1 }).constraints).toEqual(['at most 1 character']);
    expect(describeOne({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 5 }).constraints).toEqual([
      'more than 0',
      'less than 5',
    ]);
    expect(describeOne({ const: 403 }).constraints).toEqual(['always 403']);
    expect(describeOne({ type: 'integer', minimum: 0, maximum: 8640000000000000 }).constraints).toEqual([]);
  });

  it('list the values of enums, also of elements, and leave out null', () => {
    expect(describeOne({ type: ['string', 'null'], enum: ['a', 'b', null] }).enumValues).toEqual(['a', 'b']);
    expect(describeOne({ type: 'array', items: { enum: ['c'] } }).enumValues).toEqual(['c']);
  });

  it('list the known values of an open set of elements, which no description lists', () => {
    const open = { type: 'string', 'x-extensible-enum': ['a'] };
    expect(describeOne({ type: 'array', items: open }).enumValues).toEqual(['a']);
    expect(describeOne(open).enumValues).toEqual([]);
  });

  it('mark deprecated ones', () => {
    expect(describeOne({ deprecated: true }).isDeprecated).toBe(true);
    expect(describeOne({}).isDeprecated).toBe(false);
  });

  it('mark required ones', () => {
    expect(listFields({ a: {}, b: {} }, ['b']).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('contain the fields of objects, of elements, and of what may be null', () => {
    for (const schema of [
      ref('Agent'),
      { type: 'array', items: ref('Agent') },
      { anyOf: [ref('Agent'), { type: 'null' }] },
    ]) {
      const [variant] = describeOne(schema).variants;
      expect(variant!.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([['name', true]]);
    }
  });

  it('name the alternatives', () => {
    const { variants } = describeOne({ oneOf: [ref('Plain'), ref('Sealed')] });
    expect(variants.map(({ title, fields }) => [title, fields[0]!.name])).toEqual([
      ['Plain', 'text'],
      ['Sealed', 'sealed'],
    ]);
  });

  it('merge allOf', () => {
    const [variant] = listVariants(DOCUMENT, { allOf: [ref('Agent'), { required: ['id'], properties: { id: {} } }] });
    expect(variant!.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['name', true],
      ['id', true],
    ]);
  });

  it('end where a schema contains itself', () => {
    const [child, name] = listVariants(DOCUMENT, ref('Node'))[0]!.fields;
    expect([child!.variants, name!.type]).toEqual([[], 'string']);
  });
});
