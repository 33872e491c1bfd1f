import { resolve, type Json, type Schemas } from './schema';

/** An example of this schema, put together from those of its members. */
export function exampleOf(given: Json, schemas: Schemas): unknown {
  if (Array.isArray(given.examples)) return given.examples[0];
  const schema = resolve(given, schemas);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.properties) {
    const properties = schema.properties as Schemas;
    const entries = Object.entries(properties).map(([name, member]) => [name, exampleOf(member, schemas)]);
    return Object.fromEntries(entries);
  }
  if (schema.oneOf) return exampleOf((schema.oneOf as Json[])[0]!, schemas);
  if (schema.type === 'array') return [exampleOf(schema.items as Json, schemas)];
  if (schema.type === 'object') return {};
  throw new Error(`No example: ${JSON.stringify(schema)}`);
}
