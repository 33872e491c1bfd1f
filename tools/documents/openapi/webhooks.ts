import { buildIdExample, buildIdPattern } from '../../../src/common/http';
import { EVENT_TYPES, type EventType } from '../../../src/core/events';
import { buildExample, createComponentRef, type OpenApiObject, type SchemasByName } from '../../../src/web/openapi';
import { createEventRef, describeEvent, getEventName } from './event-catalog';

/** Headers of a delivery, by component name (docs/protocol/webhooks.md#request-format). */
export const DELIVERY_HEADERS: Record<string, OpenApiObject> = {
  'webhook-id': {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'Id of the event, the same on every attempt and replay. Ignore an id that you have processed.',
    schema: { type: 'string', pattern: buildIdPattern('evt') },
    example: buildIdExample('evt'),
  },
  'webhook-timestamp': {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Start of this attempt, in Unix seconds.',
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '1788255000',
  },
  'webhook-signature': {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes ' +
      'that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, ' +
      'separated by a space. Compare in constant time.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    description:
      'W3C Trace Context of the request that caused the event, where there is one. ' +
      'Attempts may have different parent ids.',
    schema: { type: 'string', pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
};

const RESPONSES: OpenApiObject = {
  '2XX': { description: 'The event has been received. The service ignores the body.' },
  410: { description: 'The receiver no longer exists. The service disables the webhook at once.' },
  default: {
    description:
      'Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is ' +
      'attempted up to ten times over more than three days; `Retry-After` lengthens the wait.',
  },
};

/** Builds `webhooks`: the request that each event type causes (OpenAPI 3.1.1 §4.8.1). */
export function buildWebhooks(schemasByName: SchemasByName): Record<EventType, OpenApiObject> {
  const entries = EVENT_TYPES.map((type) => [type, { post: buildWebhook(type, schemasByName) }]);
  return Object.fromEntries(entries) as Record<EventType, OpenApiObject>;
}

function buildWebhook(type: EventType, schemasByName: SchemasByName): OpenApiObject {
  const schema = createEventRef(type);
  return {
    operationId: `on${getEventName(type)}`,
    tags: ['Webhooks'],
    summary: `Receive ${type}`,
    description: describeEvent(type),
    security: [],
    parameters: Object.keys(DELIVERY_HEADERS).map((name) => createComponentRef('parameters', name)),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: buildExample(schema, schemasByName, type) } },
    },
    responses: RESPONSES,
  };
}
