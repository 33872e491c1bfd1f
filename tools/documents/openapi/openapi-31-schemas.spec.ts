import { convertToOpenApi31Schemas } from './openapi-31-schemas';

describe('schemas of @nestjs/swagger as OpenAPI 3.1 has them', () => {
  const convert = (schema: object) => convertToOpenApi31Schemas({ ThingRecord: { ...schema } }).Thing;
  const property = (schema: object) =>
    (convert({ type: 'object', properties: { x: schema } })!.properties as { x: object }).x;

  it('names components without the suffix of their class', () => {
    expect(Object.keys(convertToOpenApi31Schemas({ SendMessageDto: {}, SessionRecord: {}, RelayReply: {} }))).toEqual([
      'SendMessage',
      'Session',
      'RelayReply',
    ]);
    const $ref = '#/components/schemas/PlanRecord';
    expect(property({ $ref })).toEqual({ $ref: '#/components/schemas/Plan' });
  });

  it('writes null as a type', () => {
    expect(property({ type: 'string', nullable: true })).toEqual({ type: ['string', 'null'] });
    expect(property({ type: 'string', enum: ['a'], nullable: true })).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    });
    expect(property({ type: 'object', allOf: [{ $ref: '#/components/schemas/A' }], nullable: true })).toEqual({
      anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }],
    });
  });

  it('keeps what is said beside a reference, without an allOf around it', () => {
    expect(property({ allOf: [{ $ref: '#/components/schemas/A' }], description: 'why' })).toEqual({
      $ref: '#/components/schemas/A',
      description: 'why',
    });
  });

  it('makes numbers whole and an example one of several', () => {
    expect(property({ type: 'number', minimum: 1, example: 0 })).toEqual({
      type: 'integer',
      minimum: 1,
      examples: [0],
    });
    expect(property({ type: 'number', format: 'double' })).toEqual({ type: 'number', format: 'double' });
  });

  it('says of the items what is about the items', () => {
    expect(property({ type: 'array', items: { type: 'string' }, maxLength: 5, maxItems: 2 })).toEqual({
      type: 'array',
      items: { type: 'string', maxLength: 5 },
      maxItems: 2,
    });
  });
});
