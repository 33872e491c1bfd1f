import type { OpenApiNode } from '../../../support/conformance';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export interface FuzzedQueryParameter {
  name: string;
  schema: OpenApiNode;
}

/** The parts of an operation in the document that requests are built from. */
export interface FuzzedOperation {
  id: string;
  method: string;
  /** Path from the root of the host: `/external/v1/sessions/{id}`. */
  path: string;
  query: readonly FuzzedQueryParameter[];
  /** Methods that the document has for this path. */
  methods: readonly string[];
  body: { type: string; schema: OpenApiNode; example: OpenApiNode } | null;
  security: 'token' | 'device' | 'client' | 'none';
  acceptsIdempotencyKey: boolean;
}

/** Reads all operations of a served document and resolves the references that requests need. */
export function readFuzzedOperations(document: OpenApiNode): FuzzedOperation[] {
  const resolve = (part: OpenApiNode): OpenApiNode =>
    part.$ref
      ? (part.$ref as string)
          .slice(2)
          .split('/')
          .reduce((value, name) => value[name], document)
      : part;
  return Object.entries<OpenApiNode>(document.paths).flatMap(([path, item]) => {
    const methods = METHODS.filter((method) => item[method]);
    return methods.map((method) => {
      const operation = item[method] as OpenApiNode;
      const [server] = operation.servers ?? item.servers ?? document.servers;
      const parameters = (operation.parameters ?? []).map(resolve) as OpenApiNode[];
      const [content] = Object.entries<OpenApiNode>(operation.requestBody?.content ?? {});
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path: new URL(server.url, 'http://localhost').pathname.replace(/\/$/, '') + path,
        query: parameters.filter((each) => each.in === 'query').map(({ name, schema }) => ({ name, schema })),
        methods: methods.map((each) => each.toUpperCase()),
        body: content
          ? {
              type: content[0],
              schema: inlineReferences(content[1].schema, resolve),
              example: content[1].example,
            }
          : null,
        security: classifySecurity(operation.security),
        acceptsIdempotencyKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
      };
    });
  });
}

function classifySecurity(security: OpenApiNode[]): FuzzedOperation['security'] {
  if (security.length === 0) return 'none';
  if (security[0]!.device) return 'device';
  return security[0]!.client ? 'client' : 'token';
}

/** Returns the schema with its references resolved. Request schemas aren't recursive. */
function inlineReferences(schema: OpenApiNode, resolve: (part: OpenApiNode) => OpenApiNode): OpenApiNode {
  const { properties, items, oneOf, ...rest } = resolve(schema);
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries<OpenApiNode>(properties).map(([name, member]) => [name, inlineReferences(member, resolve)]),
      ),
    }),
    ...(items && { items: inlineReferences(items, resolve) }),
    ...(oneOf && { oneOf: (oneOf as OpenApiNode[]).map((choice) => inlineReferences(choice, resolve)) }),
  };
}
