import type { DeviceKind } from './principal';

/** How far a kind of device may go; `hosted` and `own` are judged by the owning module, row by row. */
export type Reach = 'any' | 'hosted' | 'own' | 'no';

/** The allow-list of device-api.md, Identity: the one place that says what each kind of device may do. */
export const DEVICE_PERMISSIONS = {
  'account.read': { account: 'any', machine: 'no', what: 'see the account' },
  'account.delete': { account: 'any', machine: 'no', what: 'export and delete the account' },
  'tokens.manage': { account: 'any', machine: 'no', what: 'create, list, rotate and revoke access tokens' },
  'apps.manage': { account: 'any', machine: 'no', what: 'register, change and delete third-party apps' },
  'authorized-apps.manage': {
    account: 'any',
    machine: 'no',
    what: 'see which apps may act for the account, and end that',
  },
  'webhooks.manage': { account: 'any', machine: 'no', what: 'see and manage webhooks and their deliveries' },
  'devices.manage': { account: 'any', machine: 'no', what: 'approve, list and revoke devices' },
  'relay-calls.read': { account: 'any', machine: 'no', what: 'look up relayed calls' },
  'machines.register': {
    account: 'no',
    machine: 'own',
    what: 'register a machine and answer `machine.invoke`',
  },
  'sessions.write': { account: 'any', machine: 'hosted', what: 'create, change, end and delete sessions' },
  'sessions.read': { account: 'any', machine: 'hosted', what: 'read sessions and messages back' },
  'artifacts.write': { account: 'any', machine: 'hosted', what: 'create, change and delete artifacts' },
  'artifacts.read': { account: 'any', machine: 'hosted', what: 'read artifacts back' },
  'key-grants.manage': { account: 'any', machine: 'hosted', what: 'grant callers the keys to content' },
} as const satisfies Record<string, Record<DeviceKind, Reach> & { what: string }>;

export type DevicePermission = keyof typeof DEVICE_PERMISSIONS;

export function deviceReach(kind: DeviceKind, permission: DevicePermission): Reach {
  return DEVICE_PERMISSIONS[permission][kind];
}
