import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { usePagedRecords, type PagedRecords } from '../content/paged-records';
import type { SessionRecord } from '../content/records';
import { toListedPage, type ListedSession } from './listed-session';

const PAGE_SIZE = 50;

/** Loads sessions page by page, newest first. The list doesn't change while the user selects from it. */
export function useSessionPages(
  api: AccountApi,
  keys: AccountKeys | null,
  pageSize = PAGE_SIZE,
): PagedRecords<ListedSession> {
  return usePagedRecords<ListedSession>({
    key: 'all',
    readPage: async (cursor) => {
      const page = await api.getPage<SessionRecord>('/v1/sessions', cursor ? { cursor } : { limit: pageSize });
      return toListedPage(page, keys);
    },
  });
}
