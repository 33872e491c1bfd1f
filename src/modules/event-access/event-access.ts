import { insufficientScope, type Scope } from '../../access/auth';
import { forbiddenError } from '../../common/errors';
import type { EventType } from '../../core/events';
import type { EventRecipient } from './event-recipient';

/** Scope required to receive each event type. `no app` excludes apps (docs/protocol/webhooks.md#events). */
export const REQUIRED_ACCESS: Record<EventType, Scope | 'no app' | null> = {
  'session.created': 'sessions:read',
  'session.updated': 'sessions:read',
  'session.ended': 'sessions:read',
  'session.deleted': 'sessions:read',
  'message.created': 'sessions:read',
  'turn.started': 'sessions:read',
  'turn.requires_action': 'sessions:read',
  'turn.ended': 'sessions:read',
  'permission.requested': 'sessions:read',
  'permission.decided': 'sessions:read',
  'queued_message.ended': 'sessions:read',
  'machine.registered': 'machines:read',
  'machine.online': 'machines:read',
  'machine.offline': 'machines:read',
  'invocation.ended': 'machines:invoke',
  'artifact.created': 'artifacts:read',
  'artifact.updated': 'artifacts:read',
  'artifact.deleted': 'artifacts:read',
  'key_grant.created': 'no app',
  'key_grant.revoked': 'no app',
  'token.created': 'no app',
  'token.revoked': 'no app',
  'token.expiring': 'no app',
  'relay.completed': 'no app',
  'relay.failed': 'no app',
  'webhook.test': null,
};

type RecipientAccess = Pick<EventRecipient, 'appId' | 'scopes'>;

/** Returns whether a webhook of this owner may receive events of the type. */
export function canReceive({ appId, scopes }: RecipientAccess, type: EventType): boolean {
  const requirement = REQUIRED_ACCESS[type];
  if (requirement === 'no app') return appId === null;
  return requirement === null || scopes.includes(requirement);
}

/**
 * Checks that the owner may subscribe to these events. `*` requires nothing, since it means the events that the owner
 * may see.
 * @throws {ApiError} `forbidden` or `insufficient_scope`
 */
export function requireEventAccess({ appId, scopes }: RecipientAccess, events: readonly (EventType | '*')[]): void {
  const requirements = events.flatMap((event) => (event === '*' ? [] : [REQUIRED_ACCESS[event]]));
  if (appId && requirements.includes('no app')) {
    throw forbiddenError('Events of tokens, key grants and relayed calls are not available to apps.');
  }
  const required = requirements.filter((each): each is Scope => each !== null && each !== 'no app');
  const requiredScopes = [...new Set(required)];
  const missingScopes = requiredScopes.filter((scope) => !scopes.includes(scope));
  if (missingScopes.length > 0) throw insufficientScope(missingScopes, requiredScopes);
}

/**
 * Returns whether a stream of this caller shows events of the type. Other than the owner of a webhook, a caller may
 * lack `webhooks:manage`, which all events without a scope of their own require.
 */
export function canStream(caller: RecipientAccess, type: EventType): boolean {
  const isForOwner = REQUIRED_ACCESS[type] === 'no app';
  return canReceive(caller, type) && (!isForOwner || caller.scopes.includes('webhooks:manage'));
}

/** Checks that the caller may stream each of these types. @throws {ApiError} `forbidden` or `insufficient_scope` */
export function requireStreamAccess(caller: RecipientAccess, types: readonly EventType[]): void {
  requireEventAccess(caller, types);
  if (!types.every((type) => canStream(caller, type)))
    throw insufficientScope(['webhooks:manage'], ['webhooks:manage']);
}
