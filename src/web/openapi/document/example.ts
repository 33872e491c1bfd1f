import { resolveSchema, type OpenApiObject, type SchemasByName } from './json-schema';

/** Builds an example of this schema from the examples of its properties. */
export function buildExample(schemaOrRef: OpenApiObject, schemasByName: SchemasByName): unknown {
  if (Array.isArray(schemaOrRef.examples)) return schemaOrRef.examples[0];
  const schema = resolveSchema(schemaOrRef, schemasByName);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.properties) {
    const properties = schema.properties as SchemasByName;
    const entries = Object.entries(properties).map(([name, member]) => [name, buildExample(member, schemasByName)]);
    return Object.fromEntries(entries);
  }
  if (schema.oneOf) return buildExample((schema.oneOf as OpenApiObject[])[0]!, schemasByName);
  if (schema.type === 'array') return [buildExample(schema.items as OpenApiObject, schemasByName)];
  if (schema.type === 'object') return {};
  throw new Error(`No example: ${JSON.stringify(schema)}`);
}
