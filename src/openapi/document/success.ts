import type { Answer } from '../../common/http';
import { isCacheable, takesKey, type RouteFacts } from './derived-errors';
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
  const { spec } = route;
  const description = spec.returns ?? `${spec.summary}.`;
  const cacheable = isCacheable(route);
  const always = cacheable ? ['ETag'] : spec.answer.kind === 'redirect' ? ['Location'] : [];
  const headers = commonHeaders(route, status, always, takesKey(route) ? ['Idempotency-Replayed'] : []);
  const schema = answerSchema(spec.answer);
  const example = schema && { ...(exampleOf(schema, schemas) as object), ...spec.examples?.answer };
  return {
    [status]: {
      description,
      headers,
      ...(schema && { content: { 'application/json': { schema, example }, ...rawContent(spec.answer) } }),
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
    case 'content':
      return envelope({ data: { oneOf: answer.types.map(modelRef) } });
    case 'document':
      return { type: 'object', additionalProperties: true, examples: [{ openapi: '3.1.1' }] };
    case 'redirect':
    case 'nothing':
      return null;
  }
}

const modelRef = (type: { name: string }) => schemaRef(componentName(type.name));

/** The bytes as they are, which no JSON schema describes. */
function rawContent(answer: Answer): Json {
  return answer.kind === 'content' && answer.raw
    ? { 'application/octet-stream': { example: 'All 214 tests pass.' } }
    : {};
}

function envelope(properties: Record<string, Json>): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}
