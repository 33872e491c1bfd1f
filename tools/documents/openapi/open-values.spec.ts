import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openResponseValues } from './open-values';

const ROOT = join(__dirname, '..', '..', '..');

type Json = Record<string, any>;

/** Returns all objects inside of a value, with their names. */
function listObjects(value: unknown, name = ''): [name: string, object: Json][] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value)
    .filter(([member]) => member !== 'example' && member !== 'examples')
    .flatMap(([member, part]) => listObjects(part, `${name}/${member}`));
  return [[name, value], ...members];
}

describe('openResponseValues', () => {
  const enumeration = (values: unknown[], type: unknown = 'string') => ({ type, enum: values });
  const content = (schema: unknown) => ({ content: { 'application/json': { schema } } });
  const open = (schemas: Json, operation: Json = {}) =>
    openResponseValues({
      paths: { '/a': { post: { responses: {}, ...operation } } },
      components: { schemas, responses: {}, parameters: {} },
    });

  it('opens the values of responses, without null', () => {
    const { Session } = open({ Session: { properties: { state: enumeration(['a', 'b', null], ['string', 'null']) } } })
      .components.schemas;
    expect(Session.properties.state).toEqual({
      type: ['string', 'null'],
      description: 'Known values, to which others may be added: `a`, `b`.',
      'x-extensible-enum': ['a', 'b'],
    });
  });

  it('leaves the values of requests closed, and names of kinds', () => {
    const schemas = { Create: enumeration(['a', 'b']), Kind: enumeration(['session']) };
    const requestBody = content({ $ref: '#/components/schemas/Create' });
    expect(open(schemas, { requestBody }).components.schemas).toEqual(schemas);
  });
});

describe.each(['openapi.json', 'docs/protocol/device-openapi.json'])('%s', (file) => {
  const document = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Json;
  const objects = listObjects(document);

  it('has no null in an enumeration, which generators turn into a constant or a type error', () => {
    const enumerations = objects.filter(([, object]) => Array.isArray(object.enum));
    expect(enumerations.length).toBeGreaterThan(10);
    expect(enumerations.filter(([, object]) => object.enum.includes(null))).toEqual([]);
  });

  it('has closed sets of values only where clients send them, or where they select a schema', () => {
    const references = new Set(JSON.stringify([listRequests(), document.components.parameters]).match(/schemas\/\w+/g));
    for (const name of references) {
      const schema = document.components.schemas[name.split('/')[1]!];
      for (const nested of JSON.stringify(schema).match(/schemas\/\w+/g) ?? []) references.add(nested);
    }
    const closed = Object.entries<Json>(document.components.schemas)
      .filter(([name]) => !references.has(`schemas/${name}`))
      .flatMap(([name, schema]) => listObjects(schema, name))
      .filter(([, object]) => Array.isArray(object.enum) && object.enum.length > 1);
    expect(closed.map(([name]) => name)).toEqual(['InvocationStreamEvent/properties/type']);
  });

  it('has no component that nothing uses', () => {
    const text = JSON.stringify(document);
    const { securitySchemes, ...components } = document.components as Record<string, Json>;
    const unused = Object.entries(components).flatMap(([kind, values]) =>
      Object.keys(values).filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
    );
    const requirements = JSON.stringify(objects.filter(([name]) => name.endsWith('/security')));
    const schemes = Object.keys(securitySchemes!).filter((name) => !requirements.includes(`"${name}":`));
    expect([...unused, ...schemes]).toEqual([]);
  });

  function listRequests(): unknown[] {
    return Object.values<Json>(document.paths)
      .flatMap((item) => Object.values<Json>(item))
      .map(({ requestBody, parameters }) => [requestBody, parameters]);
  }
});
