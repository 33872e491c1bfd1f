import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** W3C Trace Context §3.2.2, version 00. All-zero ids are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const traceparentStorage = new AsyncLocalStorage<string>();

/** Returns the request's `traceparent` header, or undefined if it is missing or malformed. */
export function readTraceparent({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

/** Runs `work` in a trace: `getCurrentTraceparent` returns it within. */
export function runWithTraceparent<T>(traceparent: string | undefined, work: () => T): T {
  return traceparent === undefined ? work() : traceparentStorage.run(traceparent, work);
}

export function getCurrentTraceparent(): string | undefined {
  return traceparentStorage.getStore();
}
