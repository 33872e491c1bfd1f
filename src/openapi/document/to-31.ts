import type { Json, Schemas } from './schema';

const NAMES = /(Record|Dto)$/;
const OF_ITEMS = ['minLength', 'maxLength', 'pattern', 'format'];

/** A component's name: its class's, without the suffix that says where the class stands. */
export const componentName = (className: string) => className.replace(NAMES, '');

/** Turns the schemas that @nestjs/swagger writes, OpenAPI 3.0 in flavour, into JSON Schema 2020-12 (OpenAPI 3.1). */
export function schemasTo31(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [componentName(name), schemaTo31(schema)]));
}

function schemaTo31(given: Json): Json {
  const { nullable, example, ...schema } = flattened(given);
  if (typeof schema.$ref === 'string') schema.$ref = componentName(schema.$ref);
  // Every number of this API is a whole one.
  if (schema.type === 'number') schema.type = 'integer';
  if (typeof schema.description === 'string') schema.description = schema.description.replace(/\s+/g, ' ');
  if (schema.type === 'array') moveToItems(schema);
  if (schema.properties) schema.properties = mapValues(schema.properties as Schemas, schemaTo31);
  if (schema.items) schema.items = schemaTo31(schema.items as Json);
  if (example !== undefined) schema.examples = [example];
  return nullable === true ? orNull(schema) : schema;
}

/** 3.0 wraps a reference in `allOf` to say more beside it; 3.1 needs not. */
function flattened({ allOf, ...schema }: Json): Json {
  if (!Array.isArray(allOf)) return schema;
  const [only, ...more] = allOf as Json[];
  return only && more.length === 0 ? { ...only, ...schema } : { ...schema, allOf };
}

/** class-validator's `{ each: true }` is about the items, which the plugin does not see. */
function moveToItems(schema: Json): void {
  const items = schema.items as Json;
  for (const key of OF_ITEMS) {
    if (schema[key] === undefined) continue;
    items[key] = schema[key];
    delete schema[key];
  }
}

function orNull(schema: Json): Json {
  const { $ref, ...rest } = schema;
  if ($ref) return { ...rest, anyOf: [{ $ref }, { type: 'null' }] };
  const values = schema.enum as unknown[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) };
}

function mapValues(values: Schemas, map: (value: Json) => Json): Schemas {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
