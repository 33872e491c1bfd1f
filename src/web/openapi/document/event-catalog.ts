import type { Type } from '@nestjs/common';
import { EVENT_TYPES, isSessionEventType, type EventType } from '../../../core/events';
import { ArtifactDto } from '../../../modules/artifacts';
import { REQUIRED_ACCESS } from '../../../modules/event-access';
import { InvocationDto } from '../../../modules/invocations';
import { KeyGrantDto } from '../../../modules/key-grants';
import { MachineDto } from '../../../modules/machines';
import { MessageDto } from '../../../modules/messages';
import { PermissionRequestDto } from '../../../modules/permission-requests';
import { ExternalTokenDto } from '../../../modules/personal-access-tokens';
import { QueuedMessageDto } from '../../../modules/queued-messages';
import { RelayEventDto } from '../../../modules/relay';
import { SessionDto } from '../../../modules/sessions';
import { TurnDto } from '../../../modules/turns';
import { WebhookDto } from '../../../modules/webhooks';
import { createComponentRef, createSchemaRef, type OpenApiObject, type SchemasByName } from './json-schema';
import { getComponentName } from './openapi-31-schemas';

interface EventDefinition {
  /** Class of the event's `data`. */
  model: Type;
  /** Clause that completes "Sent when". */
  when: string;
}

/** Every event type with its data (docs/protocol/webhooks.md#events). */
const EVENTS: Record<EventType, EventDefinition> = {
  'session.created': { model: SessionDto, when: 'a session is created' },
  'session.updated': { model: SessionDto, when: "a session's metadata changes, or an ended session becomes active" },
  'session.ended': { model: SessionDto, when: 'a session ends' },
  'session.deleted': { model: SessionDto, when: 'a session is deleted. `data` is its last state' },
  'message.created': { model: MessageDto, when: 'a message is stored in a session, once for each message' },
  'turn.started': { model: TurnDto, when: 'a turn first runs, and when it runs again after it was lost' },
  'turn.requires_action': { model: TurnDto, when: 'a turn waits for a decision on a permission request' },
  'turn.ended': { model: TurnDto, when: 'a turn becomes `completed`, `failed`, `cancelled` or `lost`' },
  'permission.requested': { model: PermissionRequestDto, when: 'a pending permission request is stored' },
  'permission.decided': { model: PermissionRequestDto, when: 'the state of a permission request is final' },
  'queued_message.ended': { model: QueuedMessageDto, when: 'a queued message is delivered, or will never be' },
  'machine.registered': { model: MachineDto, when: 'a machine is registered' },
  'machine.online': { model: MachineDto, when: 'a machine has been online for 5 seconds' },
  'machine.offline': { model: MachineDto, when: 'a machine has been offline for 5 seconds' },
  'invocation.ended': { model: InvocationDto, when: 'an invocation enters a final state or becomes `lost`' },
  'artifact.created': { model: ArtifactDto, when: 'an artifact is created' },
  'artifact.updated': { model: ArtifactDto, when: "an artifact's content is replaced" },
  'artifact.deleted': { model: ArtifactDto, when: 'an artifact is deleted. `data` is its last state' },
  'key_grant.created': { model: KeyGrantDto, when: 'a device grants the key of a session or an artifact' },
  'key_grant.revoked': { model: KeyGrantDto, when: 'a key grant is revoked. `data` is its last state' },
  'token.created': { model: ExternalTokenDto, when: 'a personal access token is created' },
  'token.revoked': { model: ExternalTokenDto, when: 'a personal access token is revoked. `data` is its last state' },
  'token.expiring': { model: ExternalTokenDto, when: 'an active token expires in 7 days, and again in 1 day' },
  'relay.completed': { model: RelayEventDto, when: 'a call that was relayed to a device succeeds' },
  'relay.failed': { model: RelayEventDto, when: 'a call that was relayed to a device fails' },
  'webhook.test': { model: WebhookDto, when: 'a test of the webhook is requested, whatever it subscribes to' },
};

/** Classes of the data of all events. */
export const EVENT_MODELS: readonly Type[] = Object.values(EVENTS).map(({ model }) => model);

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
  const access = REQUIRED_ACCESS[type];
  const requirement = access === 'no app' ? 'Not available to apps.' : access && `Requires the scope \`${access}\`.`;
  return [`Sent when ${EVENTS[type].when}.`, requirement].filter(Boolean).join(' ');
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
      data: createSchemaRef(getComponentName(EVENTS[type].model.name)),
    },
  };
}
