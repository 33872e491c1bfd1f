import type { Scope } from './scopes';

/** Account of a credential, as read by the token lookup (`TokenCache`). */
export interface CallerAccount {
  username: string;
  /** Unix ms */
  createdAt: number;
  /** Set by an operator (`npm run admin`). */
  isSuspended: boolean;
  /** Limits set by an operator; they override the configuration. */
  limits: { metadataPerMinute?: number; relayPerMinute?: number; maxKeptAnswerBytes?: number };
}

/** Caller of the External API: a personal access token, or an app that acts for a user. */
export interface TokenPrincipal {
  kind: 'token';
  type: 'pat' | 'oauth';
  accountId: string;
  account: CallerAccount;
  tokenId: string;
  /** `svc_oapp_…` of the app, null for a PAT */
  appId: string | null;
  scopes: readonly Scope[];
  /** Machines that the token is limited to (`MachineLimitGuard`); null for all. */
  machineIds: readonly string[] | null;
  /** Given by the owner of the token; for an app, its name. */
  name: string;
  /** Unix ms, as the other times. */
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export type DeviceKind = 'account' | 'machine';

/** A signed-in device on the account paths. */
export interface DevicePrincipal {
  kind: 'device';
  accountId: string;
  account: CallerAccount;
  deviceId: string;
  deviceKind: DeviceKind;
  tokenHash: Buffer;
  /** Unix ms */
  tokenExpiresAt: number;
}

export type Principal = TokenPrincipal | DevicePrincipal;

/** Returns the machines that the caller is limited to; null for all. */
export function getMachineLimit(caller: Principal): readonly string[] | null {
  return caller.kind === 'token' ? caller.machineIds : null;
}

/** Returns the ids of the caller. Those that it does not have are null. */
export function identifyCaller(caller: Principal): Record<'tokenId' | 'appId' | 'callerDeviceId', string | null> {
  if (caller.kind === 'device') return { tokenId: null, appId: null, callerDeviceId: caller.deviceId };
  return { tokenId: caller.tokenId, appId: caller.appId, callerDeviceId: null };
}

declare module 'express-serve-static-core' {
  interface Request {
    principal?: Principal;
  }
}
