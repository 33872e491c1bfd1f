import type { Scope } from './scopes';

/** The account behind a credential, as old as the look-up of that. */
export interface CallerAccount {
  username: string;
  /** Unix ms */
  createdAt: number;
  /** By an operator (`npm run admin`). */
  suspended: boolean;
  /** Its own, where an operator gave it any, instead of those of the configuration. */
  limits: { metadataPerMinute?: number; relayPerMinute?: number };
}

/** A caller of the External API: a personal access token, or an app acting for a person. */
export interface TokenPrincipal {
  kind: 'token';
  type: 'pat' | 'oauth';
  accountId: string;
  account: CallerAccount;
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
  account: CallerAccount;
  deviceId: string;
  deviceKind: DeviceKind;
  tokenHash: Buffer;
  /** Unix ms */
  tokenExpiresAt: number;
}

export type Principal = TokenPrincipal | DevicePrincipal;

declare module 'express-serve-static-core' {
  interface Request {
    principal?: Principal;
  }
}
