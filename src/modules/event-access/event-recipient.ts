import { SCOPE_NAMES, type Principal } from '../../access/auth';
import type { ContentCaller } from '../sessions';

/** Who receives events: the owner of a webhook, or the caller of a stream. */
export type EventRecipient = ContentCaller;

/** Identifies an app by its client id, since its access tokens are short-lived. An account device has all scopes. */
export function toEventRecipient(caller: Principal): EventRecipient {
  if (caller.kind === 'device') {
    return { accountId: caller.accountId, tokenId: null, appId: null, scopes: SCOPE_NAMES };
  }
  const { accountId, tokenId, appId, scopes } = caller;
  return { accountId, tokenId: appId ? null : tokenId, appId, scopes };
}
