import { insufficientScope, type Scope } from '../../auth';
import { forbidden } from '../../common/errors';
import type { EventType } from '../../events';
import type { Creator } from './creator';
import type { SubscribedEvent } from './webhook-record';

/** What each event type asks of whoever is told: a scope, or not to be an app (webhooks.md, Subscription). */
const ASKS: Record<EventType, Scope | 'no app' | null> = {
  'session.created': 'sessions:read',
  'session.updated': 'sessions:read',
  'session.ended': 'sessions:read',
  'session.deleted': 'sessions:read',
  'message.created': 'sessions:read',
  'machine.registered': 'machines:read',
  'machine.online': 'machines:read',
  'machine.offline': 'machines:read',
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

type Viewer = Pick<Creator, 'appId' | 'scopes'>;

export function mayBeTold({ appId, scopes }: Viewer, type: EventType): boolean {
  const asked = ASKS[type];
  if (asked === 'no app') return appId === null;
  return asked === null || scopes.includes(asked);
}

/** `*` asks for nothing: it means what the creator may see. @throws ApiError 403 */
export function requireAccess({ appId, scopes }: Viewer, events: readonly SubscribedEvent[]): void {
  const asked = events.flatMap((event) => (event === '*' ? [] : [ASKS[event]]));
  if (appId && asked.includes('no app')) {
    throw forbidden('Events of tokens, key grants and relayed calls are not told to apps.');
  }
  const required = asked.filter((each): each is Scope => each !== null && each !== 'no app');
  const unique = [...new Set(required)];
  const missing = unique.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) throw insufficientScope(missing, unique);
}
