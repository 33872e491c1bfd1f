import { auditManifest } from './access/audit/audit.manifest';
import { idempotencyManifest } from './access/idempotency/idempotency.manifest';
import { readOnlyManifest } from './access/read-only/read-only.manifest';
import type { EventDeclaration, Manifest, ResourceDeclaration, ScopeDeclaration } from './common/manifest';
import { eventsManifest } from './core/events/events.manifest';
import { instancesManifest } from './core/instances/instances.manifest';
import { accountsManifest } from './modules/accounts/accounts.manifest';
import { artifactsManifest } from './modules/artifacts/artifacts.manifest';
import { auditEventsManifest } from './modules/audit-events/audit-events.manifest';
import { developerAppsManifest } from './modules/developer-apps/developer-apps.manifest';
import { deviceGatewayManifest } from './modules/device-gateway/device-gateway.manifest';
import { devicesManifest } from './modules/devices/devices.manifest';
import { eventStreamsManifest } from './modules/event-streams/event-streams.manifest';
import { invocationsManifest } from './modules/invocations/invocations.manifest';
import { keyGrantsManifest } from './modules/key-grants/key-grants.manifest';
import { machinesManifest } from './modules/machines/machines.manifest';
import { messagesManifest } from './modules/messages/messages.manifest';
import { oauthManifest } from './modules/oauth/oauth.manifest';
import { permissionRequestsManifest } from './modules/permission-requests/permission-requests.manifest';
import { personalAccessTokensManifest } from './modules/personal-access-tokens/personal-access-tokens.manifest';
import { pushSubscriptionsManifest } from './modules/push-subscriptions/push-subscriptions.manifest';
import { queuedMessagesManifest } from './modules/queued-messages/queued-messages.manifest';
import { relayManifest } from './modules/relay/relay.manifest';
import { sessionsManifest } from './modules/sessions/sessions.manifest';
import { turnsManifest } from './modules/turns/turns.manifest';
import { usageManifest } from './modules/usage/usage.manifest';
import { webhooksManifest } from './modules/webhooks/webhooks.manifest';

/** The manifests of all modules. Documents and forms list what they declare in this order. */
const MANIFESTS = [
  sessionsManifest,
  messagesManifest,
  turnsManifest,
  permissionRequestsManifest,
  queuedMessagesManifest,
  machinesManifest,
  invocationsManifest,
  artifactsManifest,
  keyGrantsManifest,
  personalAccessTokensManifest,
  relayManifest,
  webhooksManifest,
  pushSubscriptionsManifest,
  eventStreamsManifest,
  developerAppsManifest,
  oauthManifest,
  devicesManifest,
  deviceGatewayManifest,
  auditEventsManifest,
  usageManifest,
  accountsManifest,
  auditManifest,
  idempotencyManifest,
  readOnlyManifest,
  eventsManifest,
  instancesManifest,
] as const;

type Section = 'resources' | 'scopes' | 'events';
/** What each manifest declares in a section, as a union. */
type Declared<S extends Section> = Extract<(typeof MANIFESTS)[number], Record<S, object>>[S];
type KeyOf<Union> = Union extends object ? keyof Union & string : never;
type ValueOf<Union> = Union extends object ? Union[keyof Union] : never;
type Resource = ValueOf<Declared<'resources'>>;

export type ResourcePath = KeyOf<Declared<'resources'>>;
export type Scope = KeyOf<Declared<'scopes'>>;
export type EventType = KeyOf<Declared<'events'>>;
/** Prefixes of all ids (docs/protocol/external-api.md#ids). */
export type IdPrefix =
  | Extract<Resource, { idPrefix: string }>['idPrefix']
  | Extract<(typeof MANIFESTS)[number], { idPrefixes: readonly string[] }>['idPrefixes'][number];
export type ResourceTag = Extract<Resource, { tag: object }>['tag']['name'];
export type DevicePermission = KeyOf<Extract<Resource, { devicePermissions: object }>['devicePermissions']>;

type Catalogue<Name extends string, Declaration> = Readonly<Record<Name, Declaration>>;

export const RESOURCES: Catalogue<ResourcePath, ResourceDeclaration & { idPrefix?: IdPrefix }> = collect('resources');
export const SCOPES: Catalogue<Scope, ScopeDeclaration> = collect('scopes');
/** Compiles only if manifests declare every scope that an event requires. */
export const EVENTS: Catalogue<EventType, EventDeclaration<Scope>> = collect('events');

/** @throws Error if two manifests declare the same name */
function collect<S extends Section>(section: S): Catalogue<KeyOf<Declared<S>>, ValueOf<Declared<S>>> {
  const entries = MANIFESTS.flatMap((manifest: Manifest) => Object.entries(manifest[section] ?? {}));
  const names = entries.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated) throw new Error(`Two manifests declare ${repeated}.`);
  return Object.fromEntries(entries) as ReturnType<typeof collect<S>>;
}
