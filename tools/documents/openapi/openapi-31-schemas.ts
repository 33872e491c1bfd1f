import { getComponentName, type OpenApiObject, type SchemasByName } from '../../../src/web/openapi';

const ITEM_KEYWORDS = ['minLength', 'maxLength', 'pattern', 'format'];

/** Converts the OpenAPI 3.0 schemas of @nestjs/swagger to JSON Schema 2020-12 (OpenAPI 3.1). */
export function convertToOpenApi31Schemas(schemasByName: SchemasByName): SchemasByName {
  return Object.fromEntries(
    Object.entries(schemasByName).map(([name, schema]) => [getComponentName(name), convertToOpenApi31Schema(schema)]),
  );
}

function convertToOpenApi31Schema(swaggerSchema: OpenApiObject): OpenApiObject {
  const { nullable, example, ...schema } = flattenAllOf(swaggerSchema);
  if (typeof schema.$ref === 'string') schema.$ref = getComponentName(schema.$ref);
  // The numbers of this API are integers, except amounts of money.
  if (schema.type === 'number' && schema.format !== 'double') schema.type = 'integer';
  if (typeof schema.description === 'string') schema.description = schema.description.replace(/\s+/g, ' ');
  if (schema.type === 'array') moveKeywordsToItems(schema);
  if (schema.properties) schema.properties = mapValues(schema.properties as SchemasByName, convertToOpenApi31Schema);
  if (schema.items) schema.items = convertToOpenApi31Schema(schema.items as OpenApiObject);
  if (example !== undefined) schema.examples = [example];
  return nullable === true ? makeNullable(schema) : schema;
}

/** Unwraps the `allOf` that OpenAPI 3.0 requires around a reference with other keywords. */
function flattenAllOf({ allOf, ...schema }: OpenApiObject): OpenApiObject {
  if (!Array.isArray(allOf)) return schema;
  const [firstSchema, ...otherSchemas] = allOf as OpenApiObject[];
  return firstSchema && otherSchemas.length === 0 ? { ...firstSchema, ...schema } : { ...schema, allOf };
}

/** The plugin puts keywords of class-validator's `{ each: true }` on the array instead of its items. */
function moveKeywordsToItems(schema: OpenApiObject): void {
  const items = schema.items as OpenApiObject;
  for (const key of ITEM_KEYWORDS) {
    if (schema[key] === undefined) continue;
    items[key] = schema[key];
    delete schema[key];
  }
}

function makeNullable(schema: OpenApiObject): OpenApiObject {
  const { $ref, ...rest } = schema;
  if ($ref) {
    // The plugin adds the type of the object, which excludes null.
    delete rest.type;
    return { ...rest, anyOf: [{ $ref }, { type: 'null' }] };
  }
  const values = schema.enum as unknown[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) };
}

function mapValues(values: SchemasByName, map: (value: OpenApiObject) => OpenApiObject): SchemasByName {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
