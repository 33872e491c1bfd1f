import type { Answer } from '../../common/http';
import { takesKey, type RouteFacts } from './derived-errors';
import { exampleOf } from './example';
import { commonHeaders } from './responses';
import { schemaRef, type Json, type Schemas } from './schema';
import { componentName } from './to-31';

const CURSOR = {
  type: ['string', 'null'],
  description: 'For the next page; null on the last one.',
  examples: ['eyJ2IjoxfQ.b3BhcXVl'],
};

/** The answer of a success, and for a GET the 304 beside it. */
export function successResponses(route: RouteFacts, status: number, schemas: Schemas): Json {
  const { method, spec } = route;
  const description = spec.returns ?? `${spec.summary}.`;
  const cacheable = method === 'GET';
  const always = cacheable ? ['ETag'] : [];
  const headers = commonHeaders(route, status, always, takesKey(route) ? ['Idempotency-Replayed'] : []);
  const schema = answerSchema(spec.answer);
  const example = schema && { ...(exampleOf(schema, schemas) as object), ...spec.examples?.answer };
  return {
    [status]: {
      description,
      headers,
      ...(schema && { content: { 'application/json': { schema, example } } }),
    },
    ...(cacheable && {
      304: {
        description: 'Not modified since the answer of that ETag.',
        headers: commonHeaders(route, 304, ['ETag']),
      },
    }),
  };
}

function answerSchema(answer: Answer): Json | null {
  switch (answer.kind) {
    case 'one':
      return envelope({ data: modelRef(answer.type) });
    case 'page':
      return envelope({ data: { type: 'array', items: modelRef(answer.type) }, nextCursor: CURSOR });
    case 'bare':
      return modelRef(answer.type);
    case 'document':
      return { type: 'object', additionalProperties: true, examples: [{ openapi: '3.1.1' }] };
    case 'nothing':
      return null;
  }
}

const modelRef = (type: { name: string }) => schemaRef(componentName(type.name));

function envelope(properties: Record<string, Json>): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}
