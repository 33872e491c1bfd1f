import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NextFunction, Request, Response } from 'express';
import { awaitsContinue, sendContinue } from './server/expect-header';

const DISCARD_TIMEOUT_MS = 1_000;

/** Body parser of Express. */
export type BodyParser = (request: Request, response: Response, next: NextFunction) => void;

/** Error of a body parser; its `type` may be `entity.too.large`. */
export interface BodyParserError extends Error {
  type?: string;
}

/**
 * Runs the parser and rejects bodies that are too large early: the parser itself would read the whole body first,
 * regardless of its size and speed.
 * @param maxBytes the limit of the parser, in bytes
 * @throws BodyParserError
 */
export function parseBody(parser: BodyParser, request: Request, response: Response, maxBytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const rejectWith: (error: BodyParserError) => void = reject;
    const rejectTooLarge = () => {
      const tooLargeError: BodyParserError = Object.assign(new Error('The body is too large.'), {
        type: 'entity.too.large',
      });
      void (awaitsContinue(request) ? Promise.resolve() : discardRemainingBody(request)).then(() =>
        rejectWith(tooLargeError),
      );
    };
    if (Number(request.headers['content-length']) > maxBytes) {
      rejectTooLarge();
      return;
    }
    sendContinue(request, response);
    parser(request, response, (error?: unknown) => (error ? rejectWith(error as BodyParserError) : resolve()));
    let size = 0;
    request.on('data', function count(chunk: Buffer) {
      size += chunk.length;
      if (size <= maxBytes) return;
      request.off('data', count);
      rejectTooLarge();
    });
  });
}

/** Discards the rest of the body for up to a second: many clients read the response only after sending the body. */
async function discardRemainingBody(request: Request): Promise<void> {
  const abortController = new AbortController();
  const { signal } = abortController;
  request.resume();
  const requestEnd = ['end', 'close'].map((event) => once(request, event, { signal }));
  await Promise.race([...requestEnd, sleep(DISCARD_TIMEOUT_MS, undefined, { signal })]).catch(() => undefined);
  abortController.abort();
  await Promise.allSettled(requestEnd);
}
