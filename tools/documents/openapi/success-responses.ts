import { buildIdExample, type EventStreamSource, type OperationResponse } from '../../../src/common/http';
import { RESOURCES, type ResourcePath } from '../../../src/app.manifest';
import { isCacheable, type RouteFacts } from './derived-errors';
import {
  buildExample,
  createSchemaRef,
  getComponentName,
  type OpenApiObject,
  type SchemasByName,
} from '../../../src/web/openapi';
import { buildCommonHeaders } from './error-responses';
import { buildStreamEventSchemas } from './stream-events';

const NEXT_CURSOR_SCHEMA = {
  type: ['string', 'null'],
  description: 'Cursor of the next page; null on the last page.',
  examples: ['eyJ2IjoxfQ.b3BhcXVl'],
};

/** A document can't describe server-sent events by a schema: each event has an id, a type and JSON data. */
const EVENT_STREAM_EXAMPLE =
  'id: eyJsaXN0IjoiZXZlbnRzIn0\nevent: session.ended\n' +
  'data: {"id":"evt_01m7xsah51f6ctt8c84t8wbh7e","type":"session.ended","timestamp":1788255000000,"data":{}}\n\n';

/** Builds the success response and, for a cacheable GET, the 304. */
export function buildSuccessResponses(route: RouteFacts, status: number, schemasByName: SchemasByName): OpenApiObject {
  const { spec } = route;
  const description = spec.responseDescription ?? `${spec.summary}.`;
  const cacheable = isCacheable(route);
  const requiredHeaders = cacheable ? ['ETag'] : spec.response.kind === 'redirect' ? ['Location'] : [];
  const headers = buildCommonHeaders(
    route,
    status,
    requiredHeaders,
    route.acceptsIdempotencyKey ? ['Idempotency-Replayed'] : [],
  );
  const schema = buildAnswerSchema(spec.response);
  const example = schema && {
    ...buildExampleObject(route, schema, schemasByName),
    ...spec.examples?.response,
  };
  const content =
    spec.response.kind === 'events'
      ? buildEventStreamContent(spec.response.source, spec.examples?.events)
      : schema && { content: { 'application/json': { schema, example }, ...buildRawContent(spec.response) } };
  return {
    ...(spec.existingResponseDescription && {
      200: { description: spec.existingResponseDescription, headers, ...content },
    }),
    [status]: { description, headers, ...content },
    ...(spec.acceptedResponse && {
      202: {
        description: spec.acceptedResponse.description,
        headers,
        content: { 'application/json': { schema, example: { ...example, ...spec.acceptedResponse.example } } },
      },
    }),
    ...(cacheable && {
      304: {
        description: 'The resource still has this ETag.',
        headers: buildCommonHeaders(route, 304, ['ETag']),
      },
    }),
  };
}

function buildExampleObject(route: RouteFacts, schema: OpenApiObject, schemasByName: SchemasByName): object {
  const example = buildExample(schema, schemasByName, `${route.method} ${route.path}`) as object;
  return route.spec.response.kind === 'content' ? buildContentExample(route, example) : example;
}

function buildAnswerSchema(operationResponse: OperationResponse): OpenApiObject | null {
  switch (operationResponse.kind) {
    case 'single':
      return buildEnvelopeSchema({ data: createModelRef(operationResponse.type) });
    case 'list':
      return buildEnvelopeSchema({
        data: { type: 'array', items: createModelRef(operationResponse.type) },
        nextCursor: NEXT_CURSOR_SCHEMA,
      });
    case 'unwrapped':
      return createModelRef(operationResponse.type);
    case 'content':
      return buildEnvelopeSchema({ data: buildChoice(operationResponse.types.map(createModelRef)) });
    case 'document':
      return { type: 'object', additionalProperties: true, examples: [{ openapi: '3.1.1' }] };
    case 'events':
    case 'redirect':
    case 'noContent':
      return null;
  }
}

const createModelRef = (type: { name: string }) => createSchemaRef(getComponentName(type.name));

const buildChoice = ([first, ...others]: OpenApiObject[]): OpenApiObject =>
  first && others.length === 0 ? first : { oneOf: [first, ...others] };

/** Builds the content of a stream, whose events OpenAPI 3.1 can't describe by a schema. */
function buildEventStreamContent(source: EventStreamSource, example = EVENT_STREAM_EXAMPLE): OpenApiObject {
  const media = { schema: { type: 'string' }, example, 'x-event-data': buildStreamEventSchemas(source) };
  return { content: { 'text/event-stream': media } };
}

/** Builds the content's example with an id of the record whose content it is. */
function buildContentExample({ path }: RouteFacts, { data }: { data?: object }): object {
  const collection = [...path.matchAll(/\/([\w-]+)\/\{\w+\}/g)].at(-1)![1];
  const idPrefix = RESOURCES[collection as ResourcePath].idPrefix!;
  return { data: { ...data, id: buildIdExample(idPrefix) } };
}

/** Builds the raw content, which has no JSON schema. */
function buildRawContent(operationResponse: OperationResponse): OpenApiObject {
  return operationResponse.kind === 'content' && operationResponse.raw
    ? { 'application/octet-stream': { example: 'All 214 tests pass.' } }
    : {};
}

function buildEnvelopeSchema(properties: Record<string, OpenApiObject>): OpenApiObject {
  return { type: 'object', required: Object.keys(properties), properties };
}
