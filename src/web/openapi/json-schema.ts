/** JSON Schema or another part of an OpenAPI 3.1 document. */
export type OpenApiObject = { [member: string]: unknown };

export const createComponentRef = (kind: string, name: string): OpenApiObject => ({
  $ref: `#/components/${kind}/${name}`,
});
export const createSchemaRef = (name: string): OpenApiObject => createComponentRef('schemas', name);

/** Returns the name of the component with the schema of a class: that of the class without its suffix. */
export const getComponentName = (className: string) => className.replace(/(Record|Dto)$/, '');

/** `components.schemas` by name. */
export type SchemasByName = Record<string, OpenApiObject>;

/** Returns the schema that a reference points to, or the schema itself. */
export function resolveSchema(schema: OpenApiObject, schemasByName: SchemasByName): OpenApiObject {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : null;
  return name === null ? schema : schemasByName[name]!;
}
