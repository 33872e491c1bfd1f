import type { Type } from '@nestjs/common';
import { EVENT_TYPES, EVENTS, getEventModel, isSessionEventType, type EventType } from '../../../src/core/events';
import {
  createComponentRef,
  createSchemaRef,
  getComponentName,
  type OpenApiObject,
  type SchemasByName,
} from '../../../src/web/openapi';

/** Classes of the data of all events. */
export const listEventModels = (): Type[] => Object.values(EVENTS).map(({ data }) => getEventModel(data));

/** Returns the types of the events that the stream of the account, or of a session, sends. */
export function listStreamedTypes(source: 'account' | 'session'): EventType[] {
  return EVENT_TYPES.filter((type) => (source === 'session' ? isSessionEventType(type) : type !== 'webhook.test'));
}

/** Returns `SessionCreated` for `session.created`. */
export function getEventName(type: EventType): string {
  return type.replace(/(^|[._])(\w)/g, (_, _separator, letter: string) => letter.toUpperCase());
}

export const createEventRef = (type: EventType): OpenApiObject =>
  createComponentRef('schemas', getEventSchemaName(type));

/** Describes when the event is sent, and what its recipients need. */
export function describeEvent(type: EventType): string {
  const { when, access } = EVENTS[type];
  const requirement = access === 'no app' ? 'Not available to apps.' : access && `Requires the scope \`${access}\`.`;
  return [`Sent when ${when}.`, requirement].filter(Boolean).join(' ');
}

/** Builds the schema of each event's payload: its type, its time and the record that it is about. */
export function buildEventSchemas(): SchemasByName {
  return Object.fromEntries(EVENT_TYPES.map((type) => [getEventSchemaName(type), buildEventSchema(type)]));
}

const getEventSchemaName = (type: EventType) => `${getEventName(type)}Event`;

function buildEventSchema(type: EventType): OpenApiObject {
  return {
    type: 'object',
    description: describeEvent(type),
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', enum: [type], examples: [type] },
      timestamp: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        description: 'When the event happened, in Unix milliseconds.',
        examples: [1_788_255_000_000],
      },
      data: createSchemaRef(getComponentName(EVENTS[type].data)),
    },
  };
}
