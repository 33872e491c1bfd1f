import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** JSON Schema or other part of an OpenAPI document. */
export type OpenApiNode = Record<string, any>;

/** @param checkout folder of a release, by default of this one */
export function readOpenApiDocument(checkout = join(__dirname, '..', '..', '..')): OpenApiNode {
  return JSON.parse(readFileSync(join(checkout, 'openapi.json'), 'utf8')) as OpenApiNode;
}

/**
 * Returns the document with closed objects. Callers must accept fields that are added later, but this service must not
 * send undocumented fields. The members of an `allOf` stay open, and the `allOf` is closed as a whole.
 */
export function toStrictDocument(document: OpenApiNode): OpenApiNode {
  const copy = structuredClone(document);
  const composedRefs = new Set<string>();
  visitMembers(copy, (key, value) => {
    if (key === 'allOf') for (const part of value as OpenApiNode[]) if (part.$ref) composedRefs.add(part.$ref);
  });
  for (const [name, schema] of Object.entries<OpenApiNode>(copy.components.schemas)) {
    closeSchema(schema, !composedRefs.has(`#/components/schemas/${name}`));
  }
  visitMembers([copy.paths, copy.components.responses], (key, value) => {
    if (key === 'schema') closeSchema(value as OpenApiNode, true);
  });
  return copy;
}

function closeSchema(schema: OpenApiNode, whole: boolean): void {
  const isObject = schema.properties !== undefined || schema.allOf !== undefined;
  if (whole && isObject && schema.additionalProperties === undefined) schema.unevaluatedProperties = false;
  for (const member of Object.values<OpenApiNode>(schema.properties ?? {})) closeSchema(member, true);
  if (schema.items) closeSchema(schema.items, true);
  for (const choice of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) closeSchema(choice, true);
  for (const part of schema.allOf ?? []) closeSchema(part, false);
}

function visitMembers(value: unknown, visit: (key: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    visit(key, member);
    visitMembers(member, visit);
  }
}
