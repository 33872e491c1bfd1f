import type { ListPage } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { SessionOpener } from '../content/content-opener';
import type { SessionRecord } from '../content/records';
import { getSessionTitle } from './session-title';

/** A session with its decrypted title, or what names it without one. */
export interface ListedSession extends SessionRecord {
  title: string;
}

/** A title that can't be decrypted doesn't hide the session. */
export async function toListedSession(session: SessionRecord, keys: AccountKeys | null): Promise<ListedSession> {
  const openMetadata = async () => keys && (await SessionOpener.forSession(keys, session)).openMetadata(session);
  const metadata = await openMetadata().catch(() => null);
  return { ...session, title: getSessionTitle(session, metadata) };
}

export async function toListedPage(
  { data, nextCursor }: ListPage<SessionRecord>,
  keys: AccountKeys | null,
): Promise<ListPage<ListedSession>> {
  return { data: await Promise.all(data.map((session) => toListedSession(session, keys))), nextCursor };
}
