import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** W3C Trace Context §3.2.2, version 00; ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const running = new AsyncLocalStorage<string>();

/** The trace that a request is part of; undefined without one, or with one that is malformed. */
export function traceparentOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

/** Does something as part of a trace, for those within who ask `currentTraceparent`. */
export function withTraceparent<T>(traceparent: string | undefined, work: () => T): T {
  return traceparent === undefined ? work() : running.run(traceparent, work);
}

export function currentTraceparent(): string | undefined {
  return running.getStore();
}
