import { formatValue, resolveReference, type OpenApiDocument, type OpenApiSchema } from './openapi-types';

/** A field as a reader sees it. */
export interface SchemaField {
  name: string;
  /** In words, such as `array of objects`. */
  type: string;
  isRequired: boolean;
  isDeprecated: boolean;
  description: string;
  /** In words, such as `1 to 255 characters`. */
  constraints: string[];
  enumValues: string[];
  /** Fields of the object, of the elements of the array, or of each alternative. */
  variants: SchemaVariant[];
}

export interface SchemaVariant {
  /** Name of the alternative; empty if there is only one. */
  title: string;
  fields: SchemaField[];
}

const NULL_TYPE = 'null';

/** Returns the fields of a schema by its alternatives. A schema without fields has none. */
export function listVariants(document: OpenApiDocument, schema: OpenApiSchema): SchemaVariant[] {
  return new SchemaReader(document).listVariants(schema, []);
}

/** Describes a value that stands alone, such as a parameter. */
export function describeField(
  document: OpenApiDocument,
  field: { name: string; schema: OpenApiSchema; isRequired: boolean; description?: string },
): SchemaField {
  const described = new SchemaReader(document).describeField(field.name, field.schema, field.isRequired, []);
  return { ...described, description: field.description ?? described.description };
}

/** Reads schemas of one document. `path` holds the references on the way, because a schema may contain itself. */
class SchemaReader {
  constructor(private readonly document: OpenApiDocument) {}

  describeField(name: string, schema: OpenApiSchema, isRequired: boolean, path: readonly string[]): SchemaField {
    const resolved = this.mergeSchema(schema);
    const [only, ...others] = this.listAlternatives(resolved);
    // "This or null" is described as this.
    const described =
      only && others.length === 0 ? { ...this.mergeSchema(only), ...omitAlternatives(resolved) } : resolved;
    return {
      name,
      type: this.describeType(schema),
      isRequired,
      isDeprecated: resolved.deprecated === true,
      description: described.description ?? '',
      constraints: listConstraints(described),
      enumValues: listEnumValues(described.enum ? described : this.mergeSchema(described.items ?? {})),
      variants: this.listVariants(schema, path),
    };
  }

  listVariants(schema: OpenApiSchema, path: readonly string[]): SchemaVariant[] {
    if (schema.$ref !== undefined && path.includes(schema.$ref)) return [];
    const nextPath = schema.$ref === undefined ? path : [...path, schema.$ref];
    const resolved = this.mergeSchema(schema);
    const alternatives = this.listAlternatives(resolved);
    if (alternatives.length > 0) {
      const variants = alternatives.flatMap((alternative) =>
        this.listVariants(alternative, nextPath).map(({ title, fields }) => ({
          title: alternatives.length === 1 ? title : title || getSchemaName(alternative),
          fields,
        })),
      );
      return variants;
    }
    if (resolved.items) return this.listVariants(resolved.items, nextPath);
    const fields = Object.entries(resolved.properties ?? {}).map(([name, property]) =>
      this.describeField(name, property, resolved.required?.includes(name) ?? false, nextPath),
    );
    return fields.length > 0 ? [{ title: '', fields }] : [];
  }

  private describeType(schema: OpenApiSchema): string {
    const resolved = this.mergeSchema(schema);
    const isNullable = (resolved.oneOf ?? resolved.anyOf ?? []).some(({ type }) => type === NULL_TYPE);
    const alternatives = this.listAlternatives(resolved);
    if (alternatives.length > 0) {
      const types = [...new Set(alternatives.map((alternative) => this.describeType(alternative)))];
      return [...types, ...(isNullable ? [NULL_TYPE] : [])].join(' or ');
    }
    const types = [resolved.type ?? (resolved.properties ? 'object' : inferType(resolved))].flat();
    return types
      .map((type) => (type === 'array' ? this.describeArray(resolved) : describeScalar(type, resolved)))
      .join(' or ');
  }

  private describeArray({ items }: OpenApiSchema): string {
    if (!items) return 'array';
    const element = this.describeType(items);
    return element.includes(' ') ? `array of (${element})` : `array of ${element}s`;
  }

  /** Returns the alternatives other than null. */
  private listAlternatives({ oneOf, anyOf }: OpenApiSchema): OpenApiSchema[] {
    return (oneOf ?? anyOf ?? []).filter(({ type }) => type !== NULL_TYPE);
  }

  /** Follows the reference and merges `allOf`. */
  private mergeSchema(schema: OpenApiSchema): OpenApiSchema {
    const { $ref: _, ...own } = schema;
    const target =
      schema.$ref === undefined ? schema : { ...resolveReference<OpenApiSchema>(this.document, schema), ...own };
    if (!target.allOf) return target;
    const { allOf, ...rest } = target;
    return [...allOf.map((part) => this.mergeSchema(part)), rest].reduce<OpenApiSchema>(
      (merged, part) => ({
        ...merged,
        ...part,
        properties: { ...merged.properties, ...part.properties },
        required: [...(merged.required ?? []), ...(part.required ?? [])],
      }),
      {},
    );
  }
}

function omitAlternatives({ oneOf: _, anyOf: __, ...rest }: OpenApiSchema): OpenApiSchema {
  return rest;
}

function getSchemaName({ $ref }: OpenApiSchema): string {
  return $ref?.split('/').at(-1) ?? 'object';
}

function inferType({ const: value, enum: values, items }: OpenApiSchema): string {
  if (items) return 'array';
  const sample = value ?? values?.[0];
  return sample === undefined ? 'any' : typeof sample;
}

function describeScalar(type: string, { format }: OpenApiSchema): string {
  return type === 'string' && format ? `string (${format})` : type;
}

/** Includes the known values of an open set, which the description of a field lists, but not that of a list. */
function listEnumValues({ enum: values, 'x-extensible-enum': knownValues }: OpenApiSchema): string[] {
  return (values ?? knownValues ?? []).filter((value) => value !== null).map(formatValue);
}

function listConstraints(schema: OpenApiSchema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, pattern, uniqueItems } = schema;
  return [
    describeRange(minLength, maxLength, 'character'),
    describeRange(minItems, maxItems, 'element'),
    uniqueItems ? 'unique elements' : undefined,
    describeRange(minimum, maximum),
    schema.exclusiveMinimum === undefined ? undefined : `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? undefined : `less than ${schema.exclusiveMaximum}`,
    schema.const === undefined ? undefined : `always ${JSON.stringify(schema.const)}`,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
    pattern === undefined ? undefined : `matches ${pattern}`,
  ].filter((constraint) => constraint !== undefined);
}

function describeRange(from: number | undefined, to: number | undefined, unit = ''): string | undefined {
  const format = (value: number) => value.toLocaleString('en-US');
  const addUnit = (text: string, count: number) => (unit ? `${text} ${unit}${count === 1 ? '' : 's'}` : text);
  // Zero and the largest time of JavaScript are not worth a word.
  const min = from === 0 ? undefined : from;
  const max = to !== undefined && to >= Number.MAX_SAFE_INTEGER - 1e15 ? undefined : to;
  if (min !== undefined && max !== undefined) {
    return min === max ? addUnit(format(min), min) : addUnit(`${format(min)} to ${format(max)}`, max);
  }
  if (max !== undefined) return addUnit(`at most ${format(max)}`, max);
  return min === undefined ? undefined : addUnit(`at least ${format(min)}`, min);
}
