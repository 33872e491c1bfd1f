import { SCOPE_NAMES, type Scope } from '../../access/auth';
import type { ApiError } from '../../common/errors';
import { EVENT_TYPES, EVENTS, type EventType } from '../../core/events';
import { canReceive, canStream, requireEventAccess, requireStreamAccess } from './event-access';

type SubscribedEvent = EventType | '*';

const APP = 'app_1';
const without = (scope: Scope) => SCOPE_NAMES.filter((name) => name !== scope);

const SCOPED_EVENTS = EVENT_TYPES.flatMap((type) => {
  const { access } = EVENTS[type];
  return access === null || access === 'no app' ? [] : [[type, access] as const];
});
const OWNER_EVENTS = EVENT_TYPES.filter((type) => EVENTS[type].access === 'no app');

const findError = (appId: string | null, scopes: readonly Scope[], events: readonly SubscribedEvent[]) => {
  try {
    requireEventAccess({ appId, scopes }, events);
    return null;
  } catch (error) {
    return error as ApiError;
  }
};

describe('event access', () => {
  describe.each(SCOPED_EVENTS)('to %s', (type, scope) => {
    it.each([
      { owner: 'token', appId: null },
      { owner: 'app', appId: APP },
    ])(`requires ${scope} of the subscription of any $owner, and nothing else`, ({ appId }) => {
      expect(canReceive({ appId, scopes: [scope] }, type)).toBe(true);
      expect(canReceive({ appId, scopes: without(scope) }, type)).toBe(false);
      expect(findError(appId, [scope], [type])).toBeNull();
      expect(findError(appId, without(scope), [type])?.code).toBe('insufficient_scope');
    });
  });

  describe.each(OWNER_EVENTS)('to %s', (type) => {
    it('requires no scope of a token, and is refused to apps with all scopes', () => {
      expect(canReceive({ appId: null, scopes: [] }, type)).toBe(true);
      expect(canReceive({ appId: APP, scopes: SCOPE_NAMES }, type)).toBe(false);
      expect(findError(null, [], [type])).toBeNull();
      expect(findError(APP, SCOPE_NAMES, [type])?.code).toBe('forbidden');
    });
  });

  it.each([
    { owner: 'token', appId: null },
    { owner: 'app', appId: APP },
  ])('to webhook.test requires nothing of a $owner', ({ appId }) => {
    expect(canReceive({ appId, scopes: [] }, 'webhook.test')).toBe(true);
    expect(findError(appId, [], ['webhook.test'])).toBeNull();
  });
});

describe('a subscription', () => {
  it.each([
    { owner: 'token', appId: null },
    { owner: 'app', appId: APP },
  ])('to * requires nothing of a $owner, since it means the events that the owner may see', ({ appId }) => {
    expect(findError(appId, [], ['*'])).toBeNull();
  });

  it('to several events requires every scope, and names the missing and the required ones once', () => {
    const events: SubscribedEvent[] = ['session.created', 'session.ended', 'machine.online', 'artifact.created'];
    const error = findError(null, ['machines:read'], events);
    expect(error?.code).toBe('insufficient_scope');
    expect(error?.detail).toBe('This token lacks sessions:read and artifacts:read.');
    expect(error?.extras.members).toEqual({ required: ['sessions:read', 'machines:read', 'artifacts:read'] });
  });

  it('to * and an event still requires the scope of that event', () => {
    expect(findError(null, [], ['*', 'session.created'])?.code).toBe('insufficient_scope');
    expect(findError(APP, SCOPE_NAMES, ['*', 'token.created'])?.code).toBe('forbidden');
  });

  it('of an app is forbidden by one event that no app may receive', () => {
    expect(findError(APP, SCOPE_NAMES, ['session.created', 'relay.failed'])?.code).toBe('forbidden');
  });
});

describe('a stream', () => {
  const findStreamError = (appId: string | null, scopes: readonly Scope[], types: readonly EventType[]) => {
    try {
      requireStreamAccess({ appId, scopes }, types);
      return null;
    } catch (error) {
      return error as ApiError;
    }
  };

  it.each(SCOPED_EVENTS)('shows %s to callers with %s', (type, scope) => {
    for (const appId of [null, APP]) {
      expect(canStream({ appId, scopes: [scope] }, type)).toBe(true);
      expect(canStream({ appId, scopes: without(scope) }, type)).toBe(false);
    }
    expect(findStreamError(null, [scope], [type])).toBeNull();
    expect(findStreamError(null, without(scope), [type])?.extras.members).toEqual({ required: [scope] });
  });

  it.each(OWNER_EVENTS)('shows %s to personal access tokens with webhooks:manage', (type) => {
    expect(canStream({ appId: null, scopes: ['webhooks:manage'] }, type)).toBe(true);
    expect(canStream({ appId: null, scopes: without('webhooks:manage') }, type)).toBe(false);
    expect(canStream({ appId: APP, scopes: SCOPE_NAMES }, type)).toBe(false);
    expect(findStreamError(null, ['webhooks:manage'], [type])).toBeNull();
    expect(findStreamError(null, without('webhooks:manage'), [type])?.code).toBe('insufficient_scope');
    expect(findStreamError(APP, SCOPE_NAMES, [type])?.code).toBe('forbidden');
  });
});
