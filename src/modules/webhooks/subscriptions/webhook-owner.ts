import { SCOPE_NAMES, type Scope, type TokenPrincipal } from '../../../access/auth';

/** Owner of a webhook. Without a token or app id, it is the account's owner in the console. */
export interface WebhookOwner {
  accountId: string;
  tokenId: string | null;
  appId: string | null;
  scopes: readonly Scope[];
}

/** Identifies an app by its client id, since its access tokens are short-lived. */
export function toWebhookOwner({ accountId, tokenId, appId, scopes }: TokenPrincipal): WebhookOwner {
  return { accountId, tokenId: appId ? null : tokenId, appId, scopes };
}

export function toAccountOwner(accountId: string): WebhookOwner {
  return { accountId, tokenId: null, appId: null, scopes: SCOPE_NAMES };
}
