/** Decrypts titles of sessions for the scripts of every page, which load this module when they need it. */
import { AccountApi } from './content/account-api';
import { openAccountKeys } from './content/account-keys';
import type { SessionRecord } from './content/records';
import type { PageShell } from './lib/page-shell';
import { showInvisibleCharacters } from './lib/visible-text';
import { toListedSession } from './sessions/listed-session';

/** @throws ServiceError, UnreachableError */
export async function readSessionTitle({ accountId, csrfToken }: PageShell, sessionId: string): Promise<string> {
  const api = new AccountApi(csrfToken);
  const session = await api.getRecord<SessionRecord>(`/v1/sessions/${sessionId}`);
  const keys = await openAccountKeys(accountId).catch(() => null);
  return showInvisibleCharacters((await toListedSession(session, keys)).title);
}
