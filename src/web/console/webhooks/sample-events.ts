import { Injectable } from '@nestjs/common';
import type { EventType } from '../../../core/events';
import { OpenApiDocumentService } from '../../openapi';

/** Schemas of the records in the OpenAPI document, by the part of the event type before the dot. */
const SCHEMA_NAMES: Readonly<Record<string, string>> = {
  session: 'Session',
  message: 'Message',
  turn: 'Turn',
  permission: 'PermissionRequest',
  queued_message: 'QueuedMessage',
  machine: 'Machine',
  invocation: 'Invocation',
  artifact: 'Artifact',
  key_grant: 'KeyGrant',
  token: 'ExternalToken',
  webhook: 'Webhook',
};

const ENDED_AT = 1_788_255_060_000;

/** What the records of some events say other than the example of their schema. */
const CHANGES: Readonly<Partial<Record<EventType, object>>> = {
  'session.created': { state: 'active', endedAt: null },
  'session.ended': { state: 'ended', endedAt: ENDED_AT },
  'turn.started': { state: 'running', stopReason: null, usage: null, cost: null, endedAt: null },
  'turn.requires_action': { state: 'requires_action', stopReason: null, usage: null, cost: null, endedAt: null },
  'turn.ended': { state: 'completed', stopReason: 'end_turn', endedAt: ENDED_AT },
  'permission.requested': { state: 'pending', decidedAt: null, decidedBy: null },
  'permission.decided': {
    state: 'allowed',
    decidedAt: ENDED_AT,
    decidedBy: { tokenId: 'tok_01m7xsah51f6ctt8c84t8wbh7e', deviceId: null },
  },
  'queued_message.ended': { state: 'delivered' },
  'machine.online': { state: 'online' },
  'machine.offline': { state: 'offline' },
  'invocation.ended': { state: 'completed', exitCode: 0 },
  'token.revoked': { state: 'revoked' },
  'webhook.disabled': { state: 'disabled', disabledReason: 'too_many_pending' },
};

/** Builds the data of sample events from the examples in the OpenAPI document, whose schemas real records match. */
@Injectable()
export class SampleEventBuilder {
  constructor(private readonly document: OpenApiDocumentService) {}

  /** @throws Error for `webhook.test`, whose data is the webhook itself */
  buildSampleData(type: EventType): object {
    if (type.startsWith('relay.')) return this.buildRelayedCall(type === 'relay.completed');
    const schemaName = SCHEMA_NAMES[type.split('.')[0]!];
    if (!schemaName || type === 'webhook.test') throw new Error(`Events of the type ${type} have no sample.`);
    return { ...this.document.buildExample(schemaName), ...CHANGES[type] };
  }

  /** The document has no schema of these: relayed calls have no record (docs/protocol/webhooks.md#events). */
  private buildRelayedCall(isCompleted: boolean): object {
    const { id: machineId } = this.document.buildExample('Machine');
    const { id: tokenId } = this.document.buildExample('ExternalToken');
    return {
      requestId: 'req_01kxp2c6v0e8qs3m5t7w9y1a3c',
      method: 'machine.invoke',
      sessionId: null,
      machineId,
      tokenId,
      outcome: isCompleted ? 'answered' : 'timeout',
      durationMs: isCompleted ? 212 : 30_000,
      createdAt: ENDED_AT,
    };
  }
}
