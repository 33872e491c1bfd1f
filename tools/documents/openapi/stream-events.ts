import { DELTA_KINDS } from '@external-api/protocol';
import { buildIdExample, buildIdPattern, type EventStreamSource } from '../../../src/common/http';
import type { EventType } from '../../../src/core/events';
import {
  PlaintextContentDto,
  PlaintextPermissionContentDto,
  SealedContentDto,
  SealedPermissionContentDto,
} from '../../../src/modules/key-grants';
import { createEventRef, listStreamedTypes } from './event-catalog';
import { createSchemaRef, getComponentName, type OpenApiObject, type SchemasByName } from '../../../src/web/openapi';

/** Classes of the content that events of a session's stream contain. */
export const STREAMED_CONTENT_MODELS = [
  PlaintextContentDto,
  SealedContentDto,
  PlaintextPermissionContentDto,
  SealedPermissionContentDto,
];

const CONTENT_REASONS = ['no_content_grant', 'grant_key_mismatch', 'too_large', 'not_found', 'insufficient_scope'];
const EVENT_ID_SCHEMA = { type: 'string', pattern: buildIdPattern('evt'), examples: [buildIdExample('evt')] };
const NULL_SCHEMA = { type: 'null' };
const TIMESTAMP_SCHEMA = { type: 'integer', format: 'int64', minimum: 0, examples: [1_788_255_000_000] };
const COUNT_SCHEMA = { type: 'integer', minimum: 0, examples: [0] };

/**
 * Returns the schemas of the `data` of a stream's events, by the `event` field. OpenAPI 3.1 describes a stream as one
 * string, so that the document has them in the extension `x-event-data`.
 */
export function buildStreamEventSchemas(source: EventStreamSource): SchemasByName {
  if (source === 'invocation') {
    return {
      'stream.opened': createSchemaRef('InvocationStreamEvent'),
      output: createSchemaRef('OutputLiveEvent'),
      'invocation.ended': createSchemaRef('InvocationStreamEvent'),
    };
  }
  const events = listStreamedTypes(source).map((type) => [type, buildStoredEventSchema(type, source)] as const);
  return {
    'stream.opened': createSchemaRef('StreamOpenedEvent'),
    ...Object.fromEntries(events),
    ...(source === 'session' && { delta: createSchemaRef('DeltaLiveEvent') }),
  };
}

function buildStoredEventSchema(type: EventType, source: EventStreamSource): OpenApiObject {
  if (source === 'session' && type === 'message.created') return createSchemaRef('MessageStreamEvent');
  if (source === 'session' && type === 'permission.requested') return createSchemaRef('PermissionStreamEvent');
  return { allOf: [createEventRef(type), createSchemaRef('StreamEventId')] };
}

/** Builds the component schemas that only streams use. */
export function buildStreamSchemas(models: SchemasByName): SchemasByName {
  const streamedContent = STREAMED_CONTENT_MODELS.map(({ name }) => {
    const component = getComponentName(name);
    return [`Streamed${component}`, omitIds(models[component]!)] as const;
  });
  return {
    StreamEventId: buildObjectSchema('Id of an event in a stream. It is the `webhook-id` of its deliveries.', {
      id: EVENT_ID_SCHEMA,
    }),
    StreamOpenedEvent: buildObjectSchema('First event of a stream. Its cursor is the place where the stream begins.', {
      id: NULL_SCHEMA,
      type: { type: 'string', enum: ['stream.opened'] },
      timestamp: TIMESTAMP_SCHEMA,
      data: { type: 'object', maxProperties: 0 },
    }),
    InvocationStreamEvent: buildObjectSchema('First and last event of the stream of an invocation.', {
      id: NULL_SCHEMA,
      type: { type: 'string', enum: ['stream.opened', 'invocation.ended'] },
      timestamp: TIMESTAMP_SCHEMA,
      data: createSchemaRef('Invocation'),
    }),
    ...buildLiveEventSchemas(),
    MessageStreamEvent: buildContentEventSchema('message.created', 'Message', 'Content'),
    PermissionStreamEvent: buildContentEventSchema('permission.requested', 'PermissionRequest', 'PermissionContent'),
    ...Object.fromEntries(streamedContent),
  };
}

/** Builds the schemas of live output, which is not stored (docs/protocol/event-streams.md#live-output). */
function buildLiveEventSchemas(): SchemasByName {
  return {
    OutputLiveEvent: buildObjectSchema('Bytes that a command has written. A jump of `offset` shows what was dropped.', {
      invocationId: { type: 'string', pattern: buildIdPattern('inv'), examples: [buildIdExample('inv')] },
      stream: { type: 'string', enum: ['stdout', 'stderr'] },
      offset: COUNT_SCHEMA,
      data: { type: 'string', contentEncoding: 'base64', examples: ['MTIgcGFzc2VkLgo='] },
    }),
    DeltaLiveEvent: buildDeltaSchema(),
  };
}

function buildDeltaSchema(): OpenApiObject {
  const description =
    'Piece of the message that an agent is writing, or what else it is doing, in the requested encoding.';
  const schema = buildObjectSchema(description, {
    sessionId: { type: 'string', pattern: buildIdPattern('ses'), examples: [buildIdExample('ses')] },
    turnId: { type: 'string', pattern: buildIdPattern('turn'), examples: [buildIdExample('turn')] },
    localId: { type: 'string', examples: ['m-0013'] },
    n: COUNT_SCHEMA,
    content: {
      type: 'string',
      description: 'Text for `message` and `thought`. JSON text for `tool` and `plan`, which replaces an earlier one.',
      examples: ['All 214'],
    },
  });
  const kind = {
    type: 'string',
    description: 'Absent for `message`. Only kinds that `deltas` asks for.',
    enum: [...DELTA_KINDS],
  };
  return { ...schema, properties: { ...(schema.properties as SchemasByName), kind } };
}

/** Builds an event whose record has content, if the stream was asked for it. */
function buildContentEventSchema(type: EventType, record: string, content: string): OpenApiObject {
  const contentSchemas = [`StreamedPlaintext${content}`, `StreamedSealed${content}`].map(createSchemaRef);
  const members = {
    type: 'object',
    description: 'What a stream with `content` adds to the record. Without it, both members are absent.',
    properties: {
      content: { oneOf: [...contentSchemas, NULL_SCHEMA] },
      contentReason: { type: 'string', enum: CONTENT_REASONS, description: 'Why `content` is null.' },
    },
  };
  return buildObjectSchema(`\`${type}\` in the stream of a session.`, {
    id: EVENT_ID_SCHEMA,
    type: { type: 'string', enum: [type] },
    timestamp: TIMESTAMP_SCHEMA,
    data: { allOf: [createSchemaRef(record), members] },
  });
}

/** Returns the schema of a content endpoint's response without the ids, which the event has. */
function omitIds(schema: OpenApiObject): OpenApiObject {
  const { id: _id, sessionId: _sessionId, ...properties } = schema.properties as SchemasByName;
  return { ...schema, required: Object.keys(properties), properties };
}

function buildObjectSchema(description: string, properties: SchemasByName): OpenApiObject {
  return { type: 'object', description, required: Object.keys(properties), properties };
}
