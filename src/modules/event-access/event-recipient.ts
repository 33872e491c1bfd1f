import { SCOPE_NAMES, type Principal } from '../../access/auth';
import type { ContentCaller } from '../sessions';

/** Who receives events: the owner of a webhook, or the caller of a stream. */
export type EventRecipient = ContentCaller;

/** Identifies an app by its client id, since its access tokens are short-lived. */
export function toEventRecipient(caller: Principal): EventRecipient {
  if (caller.kind === 'device') return toAccountRecipient(caller.accountId);
  const { accountId, tokenId, appId, scopes } = caller;
  return { accountId, tokenId: appId ? null : tokenId, appId, scopes };
}

/** Stands for the account itself, at one of its devices or in the console. */
export function toAccountRecipient(accountId: string): EventRecipient {
  return { accountId, tokenId: null, appId: null, scopes: SCOPE_NAMES };
}
