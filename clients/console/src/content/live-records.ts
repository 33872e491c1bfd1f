import { useEffect, useRef, useState } from 'preact/hooks';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from './account-api';
import { CoalescedRefresh } from './coalesced-refresh';
import { followEvents, type StreamState } from './follow-events';
import { usePoll } from './use-poll';

interface LiveRecords<T> {
  /** Undefined until they have been read. */
  records: T | undefined;
  problem: string;
  streamState: StreamState;
  refreshRecords: () => void;
}

/**
 * Reads records, and reads them again after events of the account.
 * @param eventTypes types of the events, separated by commas
 * @param mayChangeSilently whether these records may change without an event
 */
export function useLiveRecords<T>(
  api: AccountApi,
  eventTypes: string,
  readRecords: () => Promise<T>,
  mayChangeSilently: (records: T) => boolean,
): LiveRecords<T> {
  const [records, setRecords] = useState<T>();
  const [problem, setProblem] = useState('');
  const [streamState, setStreamState] = useState<StreamState>('connecting');
  const refresh = useRef<CoalescedRefresh>(null);

  useEffect(() => {
    const update = async () => {
      setRecords(await readRecords());
      setProblem('');
    };
    const coalesced = new CoalescedRefresh(update, (error) => setProblem(formatProblem(error)));
    refresh.current = coalesced;
    coalesced.scheduleRefresh(0);
    const closing = new AbortController();
    const onChange = () => coalesced.scheduleRefresh();
    const handlers = { onEvent: onChange, onReset: onChange, onStateChange: setStreamState };
    followEvents(api, `/v1/control/events?types=${eventTypes}`, handlers, closing.signal);
    return () => {
      coalesced.stop();
      closing.abort();
    };
  }, []);

  const refreshRecords = () => refresh.current?.scheduleRefresh();
  usePoll(records, records !== undefined && mayChangeSilently(records), refreshRecords);

  return { records, problem, streamState, refreshRecords };
}
