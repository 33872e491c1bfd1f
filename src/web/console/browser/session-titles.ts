/** Decrypts titles of sessions for the notices of every page, which load this module when they need it. */
import type { AccountApi } from './content/account-api';
import { openAccountKeys } from './content/account-keys';
import type { SessionRecord } from './content/records';
import { showInvisibleCharacters } from './lib/visible-text';
import { toListedSession } from './sessions/listed-session';

/** @throws ServiceError, UnreachableError */
export async function readSessionTitle(api: AccountApi, accountId: string, sessionId: string): Promise<string> {
  const session = await api.getRecord<SessionRecord>(`/v1/sessions/${sessionId}`);
  const keys = await openAccountKeys(accountId).catch(() => null);
  return showInvisibleCharacters((await toListedSession(session, keys)).title);
}
