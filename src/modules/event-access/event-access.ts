import { insufficientScope, type Scope } from '../../access/auth';
import { forbiddenError } from '../../common/errors';
import { EVENTS, type EventType } from '../../core/events';
import type { EventRecipient } from './event-recipient';

type RecipientAccess = Pick<EventRecipient, 'appId' | 'scopes'>;

/** Returns whether a webhook of this owner may receive events of the type. */
export function canReceive({ appId, scopes }: RecipientAccess, type: EventType): boolean {
  const requirement = EVENTS[type].access;
  if (requirement === 'no app') return appId === null;
  return requirement === null || scopes.includes(requirement);
}

/**
 * Checks that the owner may subscribe to these events. `*` requires nothing, since it means the events that the owner
 * may see.
 * @throws {ApiError} `forbidden` or `insufficient_scope`
 */
export function requireEventAccess({ appId, scopes }: RecipientAccess, events: readonly (EventType | '*')[]): void {
  const requirements = events.flatMap((event) => (event === '*' ? [] : [EVENTS[event].access]));
  if (appId && requirements.includes('no app')) {
    throw forbiddenError('Events of tokens, key grants, relayed calls and webhooks are not available to apps.');
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
  const isForOwner = EVENTS[type].access === 'no app';
  return canReceive(caller, type) && (!isForOwner || caller.scopes.includes('webhooks:manage'));
}

/** Checks that the caller may stream each of these types. @throws {ApiError} `forbidden` or `insufficient_scope` */
export function requireStreamAccess(caller: RecipientAccess, types: readonly EventType[]): void {
  requireEventAccess(caller, types);
  if (!types.every((type) => canStream(caller, type)))
    throw insufficientScope(['webhooks:manage'], ['webhooks:manage']);
}
