import { useEffect, useRef, useState } from 'preact/hooks';
import { formatProblem } from '../components/mount-page';
import type { ListPage } from './account-api';
import { CoalescedRefresh } from './coalesced-refresh';

interface PagedRecord {
  id: string;
  /** Unix ms. Lists are in this order, newest first. */
  createdAt: number;
}

interface PagedRecordsSource<T extends PagedRecord> {
  /** Identifies the list, such as its filter. A list with another key is loaded from its beginning. */
  key: string;
  /** @param cursor null for the first page */
  readPage: (cursor: string | null) => Promise<ListPage<T>>;
  /** Whether a known record is newer than one that was read. */
  isNewer?: (known: T, read: T) => boolean;
}

export interface PagedRecords<T> {
  records: T[];
  hasMore: boolean;
  isLoading: boolean;
  problem: string;
  loadMore: () => void;
  /** Loads the first page again, because changes may have been missed. */
  reload: () => void;
  /** Adds records, or replaces older ones. */
  mergeRecords: (read: readonly T[]) => void;
  removeRecords: (isRemoved: (record: T) => boolean) => void;
  /** @param error null after a success */
  reportProblem: (error: unknown) => void;
}

type Change<T> = (records: readonly T[]) => T[];

/**
 * Loads a list page by page, newest first. A first page that can't be read is read again. A page that arrives undoes no
 * change that was made while it was read.
 */
export function usePagedRecords<T extends PagedRecord>(source: PagedRecordsSource<T>): PagedRecords<T> {
  const { key, isNewer = () => false } = source;
  const [records, setRecords] = useState<T[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState('');
  // Of the present list: a response for an earlier key is dropped.
  const present = useRef({ key, readPage: source.readPage });
  present.current = { key, readPage: source.readPage };
  const firstPage = useRef<CoalescedRefresh>(null);
  /** Changes since the first of the pages was asked for that have not arrived. */
  const changes = useRef<Change<T>[]>([]);
  const readCount = useRef(0);

  const changeRecords = (change: Change<T>) => {
    if (readCount.current > 0) changes.current.push(change);
    setRecords(change);
  };
  const reportProblem = (error: unknown) => setProblem(error === null ? '' : formatProblem(error));

  const readPage = async (from: string | null): Promise<void> => {
    setLoading(true);
    readCount.current++;
    const earlierChanges = changes.current.length;
    try {
      const page = await present.current.readPage(from);
      if (present.current.key !== key) return;
      const laterChanges = changes.current.slice(earlierChanges);
      setRecords((known) => {
        const read = from === null ? page.data : mergePagedRecords(known, page.data, isNewer);
        return laterChanges.reduce((records, change) => change(records), read);
      });
      setCursor(page.nextCursor);
      setProblem('');
    } finally {
      readCount.current--;
      if (readCount.current === 0) changes.current = [];
      if (present.current.key === key) setLoading(false);
    }
  };

  useEffect(() => {
    setRecords([]);
    setCursor(null);
    const refresh = new CoalescedRefresh(() => readPage(null), reportProblem);
    firstPage.current = refresh;
    refresh.scheduleRefresh(0);
    return () => refresh.stop();
  }, [key]);

  return {
    records,
    hasMore: cursor !== null,
    isLoading,
    problem,
    loadMore: () => void (cursor && !isLoading && readPage(cursor).catch(reportProblem)),
    reload: () => firstPage.current?.scheduleRefresh(0),
    mergeRecords: (read) => changeRecords((known) => mergePagedRecords(known, read, isNewer)),
    removeRecords: (isRemoved) => changeRecords((known) => known.filter((record) => !isRemoved(record))),
    reportProblem,
  };
}

/** Replaces older records and adds new ones, newest first. */
export function mergePagedRecords<T extends PagedRecord>(
  known: readonly T[],
  read: readonly T[],
  isNewer: (known: T, read: T) => boolean,
): T[] {
  const byId = new Map(known.map((record) => [record.id, record]));
  for (const record of read) {
    const earlier = byId.get(record.id);
    if (!earlier || !isNewer(earlier, record)) byId.set(record.id, record);
  }
  return [...byId.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}
