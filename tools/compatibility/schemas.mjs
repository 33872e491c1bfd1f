/**
 * Resolves the schemas of an OpenAPI 3.1 document to plain facts that two releases can be compared by. `allOf` is
 * merged, and `oneOf` and `anyOf` become variants that contain the keywords beside them.
 */

/** Returns the part that a `$ref` names, with the keywords beside it. */
export function resolveReference(part, document) {
  if (typeof part?.$ref !== 'string') return part;
  const { $ref, ...beside } = part;
  const names = $ref.slice(2).split('/');
  const target = names.reduce((value, name) => value?.[name.replace(/~1/g, '/').replace(/~0/g, '~')], document);
  if (target === undefined) throw new Error(`${$ref} is not in the document.`);
  return { ...resolveReference(target, document), ...beside };
}

/** Returns the alternatives of a schema: those of its `oneOf` or `anyOf`, or the schema itself. */
export function listVariants(schema, document) {
  const merged = mergeAllOf(schema, document);
  const alternatives = merged.oneOf ?? merged.anyOf;
  if (!alternatives) return [describeSchema(merged, getReferenceName(schema))];
  const base = { ...merged, oneOf: undefined, anyOf: undefined };
  const variants = alternatives.flatMap((alternative) =>
    listVariants(mergeSchemas(base, mergeAllOf(alternative, document)), document).map((variant) => ({
      ...variant,
      name: getReferenceName(alternative) ?? variant.name,
    })),
  );
  return foldNull(variants);
}

/** `anyOf: [X, null]` is a nullable X, as `type: [X, null]` is. */
function foldNull(variants) {
  const isNull = ({ types }) => types?.size === 1 && types.has('null');
  const others = variants.filter((variant) => !isNull(variant));
  if (others.length === variants.length || others.length === 0) return variants;
  return others.map((variant) => ({
    ...variant,
    types: variant.types && new Set([...variant.types, 'null']),
    values: variant.values && [...variant.values, null],
  }));
}

function mergeAllOf(schema, document) {
  const { allOf, ...rest } = resolveReference(schema === true ? {} : schema, document);
  return (allOf ?? []).reduceRight((merged, part) => mergeSchemas(mergeAllOf(part, document), merged), rest);
}

function mergeSchemas(left, right) {
  const merged = { ...left, ...right };
  if (left.properties && right.properties) merged.properties = mergeProperties(left.properties, right.properties);
  if (left.required && right.required) merged.required = [...new Set([...left.required, ...right.required])];
  return merged;
}

/** A property that both describe has the keywords of both. */
function mergeProperties(left, right) {
  const both = Object.keys(right).filter((name) => left[name] !== undefined);
  const merged = both.map((name) => [name, { allOf: [left[name], right[name]] }]);
  return { ...left, ...right, ...Object.fromEntries(merged) };
}

function describeSchema(schema, name) {
  const values = schema.const !== undefined ? [schema.const] : (schema.enum ?? schema['x-extensible-enum'] ?? null);
  const types = schema.type === undefined ? values && values.map(getTypeName) : [schema.type].flat();
  return {
    name,
    schema,
    types: types && new Set(types),
    values,
    properties: schema.properties ?? {},
    required: new Set(schema.required ?? []),
  };
}

function getTypeName(value) {
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function getReferenceName(schema) {
  return typeof schema?.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}
