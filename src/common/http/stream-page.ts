import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Response } from 'express';
import type { Page } from '../pages';
import { compressResponse } from './server';

/** Characters per write. */
const CHUNK_LENGTH = 48 * 1_024;

/**
 * Writes a chunk, waits for the response to drain if necessary, and yields to other requests.
 * @returns false if the caller has disconnected
 */
export async function writeChunk(response: Response, chunk: string): Promise<boolean> {
  if (!response.write(chunk)) await waitForDrain(response);
  await yieldToEventLoop();
  return !response.destroyed;
}

/**
 * Sends a page with content, without an ETag. Writes it in chunks, because serializing several megabytes of JSON at
 * once would block the event loop.
 */
export async function streamPage(response: Response, { data, nextCursor }: Page<object>): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  compressResponse(response);
  let chunk = '{"data":[';
  for (const [index, item] of data.entries()) {
    chunk += (index === 0 ? '' : ',') + JSON.stringify(item);
    if (chunk.length < CHUNK_LENGTH) continue;
    if (!(await writeChunk(response, chunk))) return;
    chunk = '';
  }
  response.end(`${chunk}],"nextCursor":${JSON.stringify(nextCursor)}}`);
}

/** Resolves when the response drains or closes. */
function waitForDrain(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
    if (response.destroyed) settle();
  });
}
