import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NextFunction, Request, Response } from 'express';

const LINGER_MS = 1_000;

/** A body parser of Express. */
export type BodyParser = (request: Request, response: Response, next: NextFunction) => void;

/** As a parser throws it; `entity.too.large` among its types. */
export interface BodyError extends Error {
  type?: string;
}

/**
 * Runs the parser, and refuses a body that is too long by itself: the parser would read all of it first, however much
 * it is and however slowly it comes.
 * @param limit in bytes, as the parser has it
 * @throws BodyError
 */
export function parseBody(parser: BodyParser, request: Request, response: Response, limit: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail: (error: BodyError) => void = reject;
    const refuse = () => {
      const tooLarge: BodyError = Object.assign(new Error('The body is too long.'), {
        type: 'entity.too.large',
      });
      void linger(request).then(() => fail(tooLarge));
    };
    if (Number(request.headers['content-length']) > limit) {
      refuse();
      return;
    }
    parser(request, response, (error?: unknown) => (error ? fail(error as BodyError) : resolve()));
    let size = 0;
    request.on('data', function count(chunk: Buffer) {
      size += chunk.length;
      if (size <= limit) return;
      request.off('data', count);
      refuse();
    });
  });
}

/** For a moment what comes is passed over: many a client hears nothing before it has sent everything. */
async function linger(request: Request): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  request.resume();
  const ended = ['end', 'close'].map((event) => once(request, event, { signal }));
  await Promise.race([...ended, sleep(LINGER_MS, undefined, { signal })]).catch(() => undefined);
  over.abort();
  await Promise.allSettled(ended);
}
