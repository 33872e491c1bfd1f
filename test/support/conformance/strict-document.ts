import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A JSON Schema or any other part of an OpenAPI document. */
export type Json = Record<string, any>;

export function readDocument(): Json {
  return JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'openapi.json'), 'utf8')) as Json;
}

/**
 * The document with every object closed: callers must bear fields that are added later, but this service sends none
 * that the document does not have. Members of an `allOf` stay open, the whole is closed.
 */
export function closed(document: Json): Json {
  const copy = structuredClone(document);
  const parts = new Set<string>();
  eachMember(copy, (key, value) => {
    if (key === 'allOf') for (const part of value as Json[]) if (part.$ref) parts.add(part.$ref);
  });
  for (const [name, schema] of Object.entries<Json>(copy.components.schemas)) {
    close(schema, !parts.has(`#/components/schemas/${name}`));
  }
  eachMember([copy.paths, copy.components.responses], (key, value) => {
    if (key === 'schema') close(value as Json, true);
  });
  return copy;
}

function close(schema: Json, whole: boolean): void {
  const isObject = schema.properties !== undefined || schema.allOf !== undefined;
  if (whole && isObject && schema.additionalProperties === undefined) schema.unevaluatedProperties = false;
  for (const member of Object.values<Json>(schema.properties ?? {})) close(member, true);
  if (schema.items) close(schema.items, true);
  for (const choice of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) close(choice, true);
  for (const part of schema.allOf ?? []) close(part, false);
}

function eachMember(value: unknown, visit: (key: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    visit(key, member);
    eachMember(member, visit);
  }
}
