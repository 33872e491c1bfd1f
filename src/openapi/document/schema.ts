/** A JSON Schema or any other part of an OpenAPI 3.1 document. */
export type Json = { [member: string]: unknown };

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
export const schemaRef = (name: string): Json => ref('schemas', name);

/** `components.schemas` by name. */
export type Schemas = Record<string, Json>;

/** The schema that a reference names, or the schema itself. */
export function resolve(schema: Json, schemas: Schemas): Json {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : null;
  return name === null ? schema : schemas[name]!;
}
