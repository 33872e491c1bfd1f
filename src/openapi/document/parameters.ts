import type { Type } from '@nestjs/common';
import { idExample } from '../../common/http';
import type { IdPrefix } from '../../common/ids';
import { hasId, isCacheable, takesKey, type RouteFacts } from './derived-errors';
import { ref, type Json, type Schemas } from './schema';
import { componentName } from './to-31';

/** Parameters that several operations share, by component name. */
const SHARED: Record<string, Json> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'One execution for all calls of this credential with the same key, method and path: for 24 hours the first ' +
      'answer that shows that something happened is given again, with `Idempotency-Replayed: true`.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: '5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).',
    schema: { type: 'string' },
    example: 'W/"1f4-2jmj7l5rSw0yVb"',
  },
};
/** What an id in a path names, by the segment before it. */
const RESOURCES: Record<string, [noun: string, prefix: IdPrefix]> = {
  sessions: ['session', 'ses'],
  messages: ['message', 'msg'],
  machines: ['machine', 'mch'],
  artifacts: ['artifact', 'art'],
  webhooks: ['webhook', 'whk'],
};
const PAGE_PARAMETERS = ['limit', 'cursor', 'order'];

/** The parameters of an operation, from its path, its query DTO and what its method and policy bring with them. */
export function parametersOf(route: RouteFacts, query: Type | undefined, schemas: Schemas): Json[] {
  return [
    ...(hasId(route) ? pathParameters(route.path) : []),
    ...(query ? queryParameters(query, schemas) : []),
    ...(takesKey(route) ? [ref('parameters', 'Idempotency-Key')] : []),
    ...(isCacheable(route) ? [ref('parameters', 'If-None-Match')] : []),
  ];
}

/** `components.parameters`, those alone that `root` refers to. */
export function parameterComponents(root: unknown, pageSchema: Json): Json {
  const text = JSON.stringify(root);
  const pages = PAGE_PARAMETERS.map((name) => [name, queryParameter(name, pageSchema)] as const);
  const all: Record<string, Json> = { ...SHARED, ...Object.fromEntries(pages) };
  const used = Object.entries(all).filter(([name]) => text.includes(`"#/components/parameters/${name}"`));
  return Object.fromEntries(used);
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\/([\w-]+)\/\{(\w+)\}/g)].map(([, collection, name]) => {
    const resource = RESOURCES[collection!];
    if (!resource) throw new Error(`${path}: the document does not know what ${collection} are.`);
    const [noun, prefix] = resource;
    return {
      name,
      in: 'path',
      required: true,
      description: `Id of the ${noun}.`,
      schema: { type: 'string' },
      example: idExample(prefix),
    };
  });
}

function queryParameters(query: Type, schemas: Schemas): Json[] {
  const model = schemas[componentName(query.name)]!;
  return Object.keys(model.properties as object).map((name) =>
    PAGE_PARAMETERS.includes(name) ? ref('parameters', name) : queryParameter(name, model),
  );
}

function queryParameter(name: string, model: Json): Json {
  const { description, examples, ...schema } = (model.properties as Schemas)[name]!;
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
