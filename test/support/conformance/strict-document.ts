import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CHECKOUT = join(__dirname, '..', '..', '..');

/** JSON Schema or other part of an OpenAPI document. */
export type OpenApiNode = Record<string, any>;

/** @param checkout folder of a release, by default of this one */
export function readOpenApiDocument(checkout = CHECKOUT): OpenApiNode {
  return JSON.parse(readFileSync(join(checkout, 'openapi.json'), 'utf8')) as OpenApiNode;
}

/** Returns the document of the account and device API. @throws Error if the checkout is of a release without one */
export function readDeviceApiDocument(checkout = CHECKOUT): OpenApiNode {
  return JSON.parse(readFileSync(getDeviceApiFile(checkout), 'utf8')) as OpenApiNode;
}

export const hasDeviceApiDocument = (checkout: string) => existsSync(getDeviceApiFile(checkout));

const getDeviceApiFile = (checkout: string) => join(checkout, 'docs', 'protocol', 'device-openapi.json');

/**
 * Returns the document with closed objects and sets of values and errors. Callers must accept those that are added
 * later, but this service must not send undocumented ones. Schemas that an `allOf` composes, directly or through other
 * schemas, stay open: the `allOf` is closed as a whole, and so is each other reference to them.
 */
export function toStrictDocument(document: OpenApiNode): OpenApiNode {
  const copy = structuredClone(document);
  visitMembers(copy, (_, value) => closeValues(value as OpenApiNode));
  const schemas = copy.components.schemas as Record<string, OpenApiNode>;
  const openRefs = collectComposedRefs(copy, schemas);
  for (const [name, schema] of Object.entries(schemas)) closeSchema(schema, !openRefs.has(toRef(name)), openRefs);
  visitMembers([copy.paths, copy.webhooks ?? {}, copy.components.responses], (key, value) => {
    if (key === 'schema') closeSchema(value as OpenApiNode, true, openRefs);
    if (key === 'x-event-data') {
      for (const schema of Object.values(value as OpenApiNode)) closeSchema(schema as OpenApiNode, true, openRefs);
    }
  });
  return copy;
}

/** This service must send only documented values and errors. */
function closeValues(schema: OpenApiNode): void {
  if (Array.isArray(schema?.anyOf))
    schema.anyOf = schema.anyOf.filter(({ $ref }: OpenApiNode) => $ref !== toRef('Problem'));
  const values = schema?.['x-extensible-enum'];
  if (Array.isArray(values)) schema.enum = [schema.type].flat().includes('null') ? [...values, null] : values;
}

const toRef = (name: string) => `#/components/schemas/${name}`;

/** Returns the references to the schemas that are parts of an `allOf`. */
function collectComposedRefs(document: OpenApiNode, schemas: Record<string, OpenApiNode>): Set<string> {
  const refs = new Set<string>();
  const addPart = (part: OpenApiNode): void => {
    for (const choice of [...(part.oneOf ?? []), ...(part.anyOf ?? []), ...(part.allOf ?? [])]) addPart(choice);
    if (!part.$ref || refs.has(part.$ref as string)) return;
    refs.add(part.$ref as string);
    addPart(schemas[(part.$ref as string).split('/').at(-1)!]!);
  };
  visitMembers(document, (key, value) => {
    if (key === 'allOf') for (const part of value as OpenApiNode[]) addPart(part);
  });
  return refs;
}

function closeSchema(schema: OpenApiNode, whole: boolean, openRefs: Set<string>): void {
  const isObject = schema.properties !== undefined || schema.allOf !== undefined || openRefs.has(schema.$ref as string);
  if (whole && isObject && schema.additionalProperties === undefined) schema.unevaluatedProperties = false;
  for (const member of Object.values<OpenApiNode>(schema.properties ?? {})) closeSchema(member, true, openRefs);
  if (schema.items) closeSchema(schema.items, true, openRefs);
  for (const choice of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) closeSchema(choice, whole, openRefs);
  for (const part of schema.allOf ?? []) closeSchema(part, false, openRefs);
}

function visitMembers(value: unknown, visit: (key: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    visit(key, member);
    visitMembers(member, visit);
  }
}
