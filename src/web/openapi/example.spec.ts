import { buildExample } from './example';
import { createSchemaRef, type SchemasByName } from './json-schema';

const SCHEMAS: SchemasByName = {
  Note: {
    type: 'object',
    properties: {
      name: { type: 'string', examples: ['two words'] },
      tags: { type: 'array', items: { type: 'string', examples: ['work'] } },
    },
  },
  Untold: { type: 'object', properties: { text: { type: 'string' } } },
  Holder: { type: 'object', properties: { notes: { type: 'array', items: createSchemaRef('Untold') } } },
};

describe('buildExample', () => {
  it('combines the examples of the properties', () => {
    expect(buildExample(createSchemaRef('Note'), SCHEMAS, 'GET /notes')).toEqual({ name: 'two words', tags: ['work'] });
  });

  it.each([
    ['Untold', 'POST /notes: Untold.text has no example.'],
    ['Holder', 'POST /notes: Holder.notes[]: Untold.text has no example.'],
  ])('names the route, the class and the property without an example in %s', (schema, message) => {
    const build = () => buildExample(createSchemaRef(schema), SCHEMAS, 'POST /notes');
    expect(build).toThrow(message);
    expect(build).toThrow('quote a text with spaces');
  });
});
