import { SCOPE_NAMES, type Scope, type TokenPrincipal } from '../../auth';

/** On whose behalf a subscription is made and told; with neither id it is the account's owner, in the console. */
export interface Creator {
  accountId: string;
  tokenId: string | null;
  appId: string | null;
  scopes: readonly Scope[];
}

/** An app is named by its client id: its access tokens come and go. */
export function creatorOf({ accountId, tokenId, appId, scopes }: TokenPrincipal): Creator {
  return { accountId, tokenId: appId ? null : tokenId, appId, scopes };
}

export function ownerOf(accountId: string): Creator {
  return { accountId, tokenId: null, appId: null, scopes: SCOPE_NAMES };
}
