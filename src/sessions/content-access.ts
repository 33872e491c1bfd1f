import type { Scope } from '../auth';

/** Who asks for content: what a grant may be bound to, and the scopes. */
export interface ContentCaller {
  accountId: string;
  /** null: no token, but the app or the account itself */
  tokenId: string | null;
  appId: string | null;
  scopes: readonly Scope[];
}

/** Port: which of these sessions may this caller read the content of now? Key grants, above, answer it. */
export abstract class ContentAccess {
  abstract readableSessions(caller: ContentCaller, sessionIds: readonly string[]): Promise<ReadonlySet<string>>;
}
