import type { Type } from '@nestjs/common';
import { buildIdExample } from '../../../src/common/http';
import type { IdPrefix } from '../../../src/common/ids';
import { RESOURCES, type ResourcePath } from '../../../src/app.manifest';
import { hasPathId, isCacheable, type RouteFacts } from './derived-errors';
import { createComponentRef, getComponentName, type OpenApiObject, type SchemasByName } from '../../../src/web/openapi';
import { DELIVERY_HEADERS } from './webhooks';

/** Parameters that several operations share, by component name. */
const SHARED_PARAMETERS: Record<string, OpenApiObject> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response ' +
      'of a call that took effect is replayed with `Idempotency-Replayed: true`.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: '5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).',
    schema: { type: 'string' },
    example: 'W/"1f4-2jmj7l5rSw0yVb"',
  },
};
const PAGE_PARAMETERS = ['limit', 'cursor', 'order'];

/** Builds the parameters of an operation from its path, query DTO, method and policy. */
export function buildParameters(
  route: RouteFacts,
  query: Type | undefined,
  schemasByName: SchemasByName,
): OpenApiObject[] {
  return [
    ...(hasPathId(route) ? buildPathParameters(route.path) : []),
    ...(query ? buildQueryParameters(query, schemasByName) : []),
    ...(route.acceptsIdempotencyKey ? [createComponentRef('parameters', 'Idempotency-Key')] : []),
    ...(isCacheable(route) ? [createComponentRef('parameters', 'If-None-Match')] : []),
  ];
}

/** `components.parameters`, those alone that `root` refers to. */
export function buildParameterComponents(root: unknown, pageSchema: OpenApiObject): OpenApiObject {
  const text = JSON.stringify(root);
  const pageParameters = PAGE_PARAMETERS.map((name) => [name, buildQueryParameter(name, pageSchema)] as const);
  const all: Record<string, OpenApiObject> = {
    ...SHARED_PARAMETERS,
    ...DELIVERY_HEADERS,
    ...Object.fromEntries(pageParameters),
  };
  const usedParameters = Object.entries(all).filter(([name]) => text.includes(`"#/components/parameters/${name}"`));
  return Object.fromEntries(usedParameters);
}

/** Path parameters that are not ids of records, by name. */
const NAMED_PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  clientId: { description: 'Client id of the app.', example: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' },
  code: { description: 'Pairing code. Case and hyphens do not matter.', example: 'ABCD-2345' },
  localId: {
    description: 'Id that the device knows the record by. For turns and invocations it is that of the relayed call.',
    example: buildIdExample('req'),
  },
};

/** Records whose path segment is not that of a resource. */
const OTHER_COLLECTIONS: Record<string, { noun: string; idPrefix: IdPrefix }> = {
  'external-tokens': { noun: 'token', idPrefix: 'tok' },
  secrets: { noun: 'secret', idPrefix: 'sec' },
  deliveries: { noun: 'delivery', idPrefix: 'dlv' },
  pairings: { noun: 'pairing', idPrefix: 'pair' },
};

function buildPathParameters(path: string): OpenApiObject[] {
  return [...path.matchAll(/\/([\w-]+)\/\{(\w+)\}/g)].map(([, collection, name]) => {
    const named = NAMED_PATH_PARAMETERS[name!];
    if (named) return { name, in: 'path', required: true, schema: { type: 'string' }, ...named };
    const resource = OTHER_COLLECTIONS[collection!] ?? RESOURCES[collection as ResourcePath];
    if (!resource?.idPrefix) throw new Error(`${path}: no manifest declares ids of "${collection}".`);
    const { noun, idPrefix } = resource;
    return {
      name,
      in: 'path',
      required: true,
      description: `Id of the ${noun}.`,
      schema: { type: 'string' },
      example: buildIdExample(idPrefix),
    };
  });
}

function buildQueryParameters(query: Type, schemasByName: SchemasByName): OpenApiObject[] {
  const model = schemasByName[getComponentName(query.name)]!;
  return Object.keys(model.properties as object).map((name) =>
    PAGE_PARAMETERS.includes(name) ? createComponentRef('parameters', name) : buildQueryParameter(name, model),
  );
}

function buildQueryParameter(name: string, model: OpenApiObject): OpenApiObject {
  const { description, examples, ...schema } = (model.properties as SchemasByName)[name]!;
  const required = ((model.required as string[] | undefined) ?? []).includes(name);
  const example = (examples as unknown[] | undefined)?.[0];
  return {
    name,
    in: 'query',
    description,
    ...(required && { required }),
    schema,
    ...(example !== undefined && { example }),
  };
}
