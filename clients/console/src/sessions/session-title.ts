import type { AccountApi } from '../content/account-api';
import type { SessionMetadata, SessionOpener } from '../content/content-opener';
import type { SessionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';

/** As long as a title that an agent gives (docs/protocol/device-api.md#reference-device). */
export const MAX_TITLE_LENGTH = 120;

export const UNTITLED = 'Untitled session';
/** The device of the session, and other browsers, may change the metadata at the same time. */
const MAX_CONFLICTS = 3;

/** Returns the decrypted title. Without one, the tag names the session, unless it is only the id of a call. */
export function getSessionTitle({ tag }: Pick<SessionRecord, 'tag'>, metadata: SessionMetadata | null): string {
  const title = metadata?.title?.trim() || tag;
  return title === tag && isCallId(tag) ? UNTITLED : title;
}

/** Whether nobody has chosen the tag. */
export const isCallId = (tag: string): boolean => /^req_[0-9a-z]{26}$/.test(tag);

/**
 * Changes the title in the encrypted metadata, and leaves what else devices have written there. The session then keeps
 * the title, whatever its agent calls it, unless the title is blank: then the device's own title comes back.
 * @throws ServiceError, UnreachableError; ContentError if somebody has modified the metadata
 */
export async function renameSession(
  api: AccountApi,
  opener: SessionOpener,
  sessionId: string,
  title: string,
): Promise<void> {
  const path = `/v1/sessions/${sessionId}`;
  for (let attempt = 1; ; attempt++) {
    const session = await api.getRecord<SessionRecord>(path);
    const metadata = await opener.openMetadata(session);
    const changed = title.trim() || metadata.autoTitle;
    if (changed === metadata.title) return;
    const version = session.version + 1;
    const sealed = await opener.sealMetadata({ ...metadata, title: changed }, version);
    try {
      return await api.patch(path, { metadata: sealed, expectedVersion: session.version });
    } catch (error) {
      const isConflict = error instanceof ServiceError && error.code === 'conflict';
      if (!isConflict || attempt >= MAX_CONFLICTS) throw error;
    }
  }
}
