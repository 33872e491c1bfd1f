import { HttpLoadClient, type OutgoingRequest } from './http-load-client';

const MAX_FAILED_SHARE = 0.01;

/** Durations of calls. */
export interface CallTimes {
  /** ms of each call, from its request to the end of its response. */
  durations: number[];
  /** Time of all calls together. */
  seconds: number;
}

/** Makes numbers of calls, over as many connections as calls are in flight, and times each of them. */
export class CallClient {
  /** @param requests requests that are sent in turn */
  constructor(private readonly requests: readonly OutgoingRequest[]) {}

  /**
   * Makes `count` successful calls over its own connections: a server may close those of an earlier sample at the
   * moment at which a call uses one. Calls that fail are repeated, because on a machine that is busy some do.
   * @throws Error if more than `MAX_FAILED_SHARE` fail
   */
  async measureCalls(count: number, inFlight: number): Promise<CallTimes> {
    const http = new HttpLoadClient();
    const durations: number[] = [];
    let pendingCount = count;
    let failedCount = 0;
    const worker = async () => {
      while (pendingCount > 0) {
        const request = this.requests[pendingCount-- % this.requests.length]!;
        const startedAt = performance.now();
        const problem = await sendCall(http, request);
        if (problem === null) {
          durations.push(performance.now() - startedAt);
        } else {
          pendingCount++;
          if (++failedCount > count * MAX_FAILED_SHARE) throw new Error(problem);
        }
      }
    };
    const startedAt = performance.now();
    try {
      await Promise.all(Array.from({ length: inFlight }, worker));
    } finally {
      await http.stop();
    }
    return { durations, seconds: (performance.now() - startedAt) / 1_000 };
  }
}

/** Returns the problem of a call without a 2xx, else null. */
async function sendCall(http: HttpLoadClient, request: OutgoingRequest): Promise<string | null> {
  try {
    const { status, text } = await http.sendRequest(request);
    return status < 300 ? null : `${request.url} responded with ${status}: ${text.slice(0, 200)}`;
  } catch (error) {
    return `${request.url}: ${(error as Error).message}`;
  }
}
