import { resolveSchema, type OpenApiObject, type SchemasByName } from './json-schema';

/**
 * Builds an example of this schema from the examples of its properties.
 * @param place what the schema describes, for the error message
 * @throws Error that names the property without an example
 */
export function buildExample(schemaOrRef: OpenApiObject, schemasByName: SchemasByName, place: string): unknown {
  if (Array.isArray(schemaOrRef.examples)) return schemaOrRef.examples[0];
  const name = typeof schemaOrRef.$ref === 'string' ? schemaOrRef.$ref.split('/').at(-1)! : null;
  const schema = resolveSchema(schemaOrRef, schemasByName);
  const path = name ? `${place}: ${name}` : place;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.properties) {
    const properties = Object.entries(schema.properties as SchemasByName);
    return Object.fromEntries(
      properties.map(([key, member]) => [key, buildExample(member, schemasByName, `${path}.${key}`)]),
    );
  }
  const choices = (schema.oneOf ?? schema.anyOf) as OpenApiObject[] | undefined;
  if (choices) return buildExample(choices[0]!, schemasByName, path);
  if (schema.type === 'array') return [buildExample(schema.items as OpenApiObject, schemasByName, `${path}[]`)];
  if (schema.type === 'object') return {};
  throw new Error(
    `${path} has no example. Add one: "@example first" in its comment (quote a text with spaces: @example 'two ` +
      "words'), an argument of its decorator such as Label(200, 'two words'), or examples.request of @Operation.",
  );
}
