import type { Scope } from './scopes';

/** A caller of the External API: a personal access token, or an app acting for a person. */
export interface TokenPrincipal {
  kind: 'token';
  type: 'pat' | 'oauth';
  accountId: string;
  tokenId: string;
  /** `svc_oapp_…` of the app, null for a PAT */
  appId: string | null;
  scopes: readonly Scope[];
  /** As its owner named it; the times are Unix ms. */
  name: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export type DeviceKind = 'account' | 'machine';

/** A signed-in device on the account paths. */
export interface DevicePrincipal {
  kind: 'device';
  accountId: string;
  deviceId: string;
  deviceKind: DeviceKind;
  /** Unix ms */
  tokenExpiresAt: number;
}

export type Principal = TokenPrincipal | DevicePrincipal;

declare module 'express-serve-static-core' {
  interface Request {
    principal?: Principal;
  }
}
