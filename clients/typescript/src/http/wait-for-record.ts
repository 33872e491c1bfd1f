import { ApiError, WaitTimeoutError } from '../errors.ts';
import { LinkedSignal, sleep } from './abort.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** The longest wait of one call. The service allows 28 seconds. */
const WAIT_MS = 25_000;
/** An outage of the service may last as long before a wait gives up. */
const OUTAGE_MS = 15 * 60_000;
const POLL_MS = 500;

/** A record whose `version` grows with each change. */
interface VersionedRecord {
  version: number;
}

export interface WaitOptions<State> {
  signal?: AbortSignal | undefined;
  /** How long to wait, in milliseconds. Then the wait rejects with {@link WaitTimeoutError}. Default: no limit. */
  timeoutMs?: number | undefined;
  /** Is called with each version of the record that the wait reads. */
  onChange?: ((record: State) => void) | undefined;
}

interface GraceOptions {
  /** How long the record may be missing at first, in milliseconds. */
  notFoundGraceMs?: number | undefined;
}

/**
 * Reads a record again at each change until it is done. Outages of the service up to 15 minutes don't end the wait.
 * @param path of a route with `waitMs` and `afterVersion`
 */
export async function waitForRecord<State extends VersionedRecord>(
  transport: Transport,
  path: string,
  isDone: (record: State) => boolean,
  options: WaitOptions<State> & GraceOptions,
): Promise<State> {
  const { timeoutMs = Infinity, notFoundGraceMs = 0 } = options;
  const start = performance.now();
  const link = new LinkedSignal([options.signal]);
  const timeout = new WaitTimeoutError<State | null>(`Not done within ${timeoutMs} ms. The work goes on.`, null);
  // The service ends a wait in time. This is for outages and calls that hang.
  link.setDeadline(timeoutMs, timeout);
  let record: State | null = null;
  try {
    for (;;) {
      const remainingMs = start + timeoutMs - performance.now();
      const query: RequestOptions['query'] =
        record === null ? {} : { waitMs: Math.ceil(clamp(remainingMs, 0, WAIT_MS)), afterVersion: record.version };
      const found: State | null = await readRecord<State>(transport, path, query, link.signal).catch(ignoreMissing);
      if (found && found.version !== record?.version) options.onChange?.(found);
      record = found;
      if (record && isDone(record)) return record;
      link.signal.throwIfAborted();
      if (!record) await sleep(POLL_MS, link.signal);
    }
  } catch (error) {
    if (error !== timeout) throw error;
    throw new WaitTimeoutError(timeout.message, record);
  } finally {
    link.release();
  }

  function ignoreMissing(error: unknown): null {
    const isMissing = error instanceof ApiError && error.code === 'not_found';
    if (!isMissing || record || performance.now() - start >= notFoundGraceMs) throw error;
    return null;
  }
}

async function readRecord<State>(
  transport: Transport,
  path: string,
  query: RequestOptions['query'],
  signal: AbortSignal,
): Promise<State> {
  const outage = { maxRetries: Infinity, retryTimeoutMs: OUTAGE_MS };
  const response = await transport.request<{ data: State }>('GET', path, { query, signal, ...outage });
  return response.body.data;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
