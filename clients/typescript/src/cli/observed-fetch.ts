import { formatDuration } from './output/relative-time.ts';
import type { Terminal } from './output/terminal.ts';

/** Difference of the service's clock to that of this computer. */
export interface ServerClock {
  offsetMs: number;
}

/** Waits above this are announced. */
const LONG_WAIT_SECONDS = 3;
const REASONS: Record<string, string> = {
  rate_limited: 'The service limits calls',
  no_online_device: 'No device is online',
};
/** A device that connects again is back within this time. */
const OFFLINE_WAIT_MS = 5_000;
const OFFLINE_RETRY_SECONDS = 2;
/** The client repeats no call that must wait as long. */
const NEVER_SECONDS = 86_400;

/**
 * Returns a fetch that reads the service's clock, says why a call waits, and with `isVerbose` prints each request: its
 * method, path, status, time and ID, never headers or bodies.
 * @param waitsForDevices whether calls wait for a device as long as other retries take, rather than 5 seconds
 */
export function createObservedFetch(
  terminal: Terminal,
  clock: ServerClock,
  { isVerbose, waitsForDevices }: { isVerbose: boolean; waitsForDevices: boolean },
): typeof fetch {
  /** When the attempts of each call began that found no device. */
  const offlineSince = new Map<string, number>();
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const line = `${init?.method ?? 'GET'} ${url.pathname}`;
    const startedAt = performance.now();
    const report = (result: string) => {
      if (isVerbose) terminal.writeNotice(`${line}  ${result}  ${Math.round(performance.now() - startedAt)} ms`);
    };
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      report(init?.signal?.aborted ? 'cancelled' : 'no response');
      throw error;
    }
    report(`${response.status}  ${response.headers.get('x-request-id') ?? '-'}`);
    const date = Date.parse(response.headers.get('date') ?? '');
    // The header has whole seconds: smaller differences mean nothing.
    if (!Number.isNaN(date)) clock.offsetMs = Math.abs(date - Date.now()) > 5_000 ? date - Date.now() : 0;
    const wait = Number(response.headers.get('retry-after'));
    const call = line + url.search;
    const since = offlineSince.get(call) ?? startedAt;
    offlineSince.delete(call);
    if (response.ok || wait === 0) return response;
    const code = await readCode(response);
    if (code === 'no_online_device' && !waitsForDevices) {
      const canRetry = performance.now() - since + OFFLINE_RETRY_SECONDS * 1_000 < OFFLINE_WAIT_MS;
      if (canRetry) offlineSince.set(call, since);
      if (canRetry && !terminal.isJson) terminal.showStatus(`${REASONS[code]}. Trying again ...`);
      return withRetryAfter(response, canRetry ? OFFLINE_RETRY_SECONDS : NEVER_SECONDS);
    }
    if (wait > LONG_WAIT_SECONDS && !terminal.isJson)
      terminal.showStatus(`${REASONS[code] ?? 'The service refuses'}. Waiting ${formatDuration(wait * 1_000)} ...`);
    return response;
  };
}

/** Returns the code of a problem document, empty if the body is another one. The response can still be read. */
async function readCode(response: Response): Promise<string> {
  try {
    return ((await response.clone().json()) as { code?: string }).code ?? '';
  } catch {
    return '';
  }
}

function withRetryAfter({ body, status, headers }: Response, seconds: number): Response {
  const changed = new Headers(headers);
  changed.set('retry-after', String(seconds));
  return new Response(body, { status, headers: changed });
}
