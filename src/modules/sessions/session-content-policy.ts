import type { Scope } from '../../access/auth';

/** Caller of a content route: its scopes and the ids that a grant may be bound to. */
export interface ContentCaller {
  accountId: string;
  /** null for an app or the account itself */
  tokenId: string | null;
  appId: string | null;
  scopes: readonly Scope[];
}

/** Port that decides whose content a caller may read now. The key-grants module implements it. */
export abstract class SessionContentPolicy {
  abstract findReadableSessionIds(caller: ContentCaller, sessionIds: readonly string[]): Promise<ReadonlySet<string>>;
}
