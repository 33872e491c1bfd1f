/** Access level of a device kind. The module that owns the rows checks `hosted` and `own` per row. */
export type AccessLevel = 'any' | 'hosted' | 'own' | 'no';

/** What the layers below its module know about a resource. */
interface Resource {
  /** As in "Id of the session." */
  noun: string;
  /** Prefix of its ids. Apps have none: their client ids are secret tokens. */
  idPrefix?: string;
  /** Tag of its operations in the OpenAPI document. */
  tag?: { name: string; description: string };
  /** What each kind of device may do with it (docs/protocol/device-api.md#permissions). */
  devicePermissions?: Record<string, { account: AccessLevel; machine: AccessLevel; what: string }>;
}

/**
 * All resources, by their path segment. Ids, device permissions, tags and path parameters are derived from this
 * catalogue, so that a new resource is one entry here (docs/adding-a-resource.md).
 */
const RESOURCES = {
  account: {
    noun: 'account',
    idPrefix: 'acc',
    devicePermissions: {
      'account.read': { account: 'any', machine: 'no', what: 'view the account' },
      'account.delete': { account: 'any', machine: 'no', what: 'export and delete the account' },
      'account.control': { account: 'any', machine: 'no', what: 'control agents and machines under `/v1/control`' },
    },
  },
  tokens: {
    noun: 'token',
    idPrefix: 'tok',
    devicePermissions: {
      'tokens.manage': { account: 'any', machine: 'no', what: 'create, list, rotate and revoke access tokens' },
    },
  },
  apps: {
    noun: 'app',
    devicePermissions: {
      'apps.manage': { account: 'any', machine: 'no', what: 'register, change and delete third-party apps' },
    },
  },
  'authorized-apps': {
    noun: 'authorized app',
    idPrefix: 'aut',
    devicePermissions: {
      'authorized-apps.manage': { account: 'any', machine: 'no', what: 'list authorized apps and revoke their access' },
    },
  },
  devices: {
    noun: 'device',
    idPrefix: 'dev',
    devicePermissions: {
      'devices.manage': { account: 'any', machine: 'no', what: 'approve, list and revoke devices' },
    },
  },
  sessions: {
    noun: 'session',
    idPrefix: 'ses',
    tag: {
      name: 'Sessions',
      description: 'Coding-agent sessions and the messages in them. Metadata only: history is end-to-end encrypted.',
    },
    devicePermissions: {
      'sessions.write': { account: 'any', machine: 'hosted', what: 'create, change, end and delete sessions' },
      'sessions.read': { account: 'any', machine: 'hosted', what: 'read sessions and messages' },
    },
  },
  turns: { noun: 'turn', idPrefix: 'turn' },
  'queued-messages': { noun: 'queued message', idPrefix: 'qmsg' },
  'permission-requests': { noun: 'permission request', idPrefix: 'perm' },
  messages: { noun: 'message', idPrefix: 'msg' },
  machines: {
    noun: 'machine',
    idPrefix: 'mch',
    tag: { name: 'Machines', description: 'Machines of the account and the commands that run on them.' },
    devicePermissions: {
      'machines.register': { account: 'no', machine: 'own', what: 'register a machine and answer `machine.invoke`' },
    },
  },
  invocations: {
    noun: 'invocation',
    idPrefix: 'inv',
    devicePermissions: {
      'invocations.report': { account: 'no', machine: 'own', what: 'report and list the invocations of a machine' },
    },
  },
  artifacts: {
    noun: 'artifact',
    idPrefix: 'art',
    tag: {
      name: 'Artifacts',
      description: 'Files that sessions created. Metadata only: content is end-to-end encrypted.',
    },
    devicePermissions: {
      'artifacts.write': { account: 'any', machine: 'hosted', what: 'create, change and delete artifacts' },
      'artifacts.read': { account: 'any', machine: 'hosted', what: 'read artifacts' },
    },
  },
  'key-grants': {
    noun: 'grant',
    idPrefix: 'grt',
    devicePermissions: {
      'key-grants.manage': { account: 'any', machine: 'hosted', what: 'grant callers the keys of content' },
    },
  },
  'relay-calls': {
    noun: 'relayed call',
    idPrefix: 'req',
    devicePermissions: {
      'relay-calls.read': { account: 'any', machine: 'no', what: 'look up relayed calls' },
    },
  },
  'audit-events': {
    noun: 'audit event',
    idPrefix: 'aud',
    devicePermissions: {
      'audit-events.read': { account: 'any', machine: 'no', what: 'read the audit trail of the account' },
    },
  },
  webhooks: {
    noun: 'webhook',
    idPrefix: 'whk',
    tag: { name: 'Webhooks', description: 'Events of the account, delivered to a URL as signed HTTP requests.' },
    devicePermissions: {
      'webhooks.manage': { account: 'any', machine: 'no', what: 'view and manage webhooks and their deliveries' },
    },
  },
} as const satisfies Record<string, Resource>;

/** Union of the entries, each with its literal types. */
type CataloguedResource = (typeof RESOURCES)[keyof typeof RESOURCES];

export type ResourceIdPrefix = Extract<CataloguedResource, { idPrefix: string }>['idPrefix'];
export type ResourceTag = Extract<CataloguedResource, { tag: object }>['tag']['name'];
export type ResourceDevicePermission = PermissionName<CataloguedResource>;

type PermissionName<R> = R extends { devicePermissions: infer Permissions } ? keyof Permissions & string : never;

/** Returns the entries in their order. Properties that only some of them have are optional. */
export function listResources(): (Resource & { path: string; idPrefix?: ResourceIdPrefix })[] {
  return Object.entries<Resource & { idPrefix?: ResourceIdPrefix }>(RESOURCES).map(([path, resource]) => ({
    path,
    ...resource,
  }));
}
