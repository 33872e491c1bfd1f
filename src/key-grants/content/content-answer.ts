import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { ReadContent } from './content-reader';

/** A multiple of 3, so that base64 of the pieces is base64 of the whole. */
const PIECE = 48 * 1024;

/**
 * `{"data": …}` of PlaintextContent or SealedContent, without an ETag: content is kept nowhere on its way. Written
 * piece by piece, since the JSON of some megabytes would keep the process from everything else.
 */
export function sendJson(
  response: Response,
  { id, sessionId }: { id: string; sessionId: string | null },
  content: ReadContent,
): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const { encoding, grantId } = content;
  if (content.encoding === 'sealed') {
    const pieces = escaped(Buffer.from(content.content), 'utf8');
    return send(response, { id, sessionId, encoding }, pieces, { key: content.key, grantId });
  }
  const { bytes, mediaType } = content;
  const contentEncoding = isUtf8(bytes) ? 'utf8' : 'base64';
  const head = { id, sessionId, encoding, mediaType };
  return send(response, head, escaped(bytes, contentEncoding), { contentEncoding, grantId });
}

/** The bytes alone, and nothing that makes a browser show them as a page of this host. */
export function sendBytes(response: Response, bytes: Buffer): void {
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Content-Disposition', 'attachment');
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** The members of `data` in order, with `content` between the others. */
async function send(response: Response, head: object, content: AsyncIterable<string>, tail: object) {
  response.write(`{"data":${JSON.stringify(head).slice(0, -1)},"content":"`);
  for await (const piece of content) {
    if (!response.write(piece)) await drained(response);
    if (response.destroyed) return;
  }
  response.end(`",${JSON.stringify(tail).slice(1)}}`);
}

/** Until it takes more, or whoever asked has left. */
function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    if (response.destroyed) done();
  });
}

/** What stands between the quotes of a JSON string. */
async function* escaped(bytes: Buffer, encoding: 'utf8' | 'base64'): AsyncGenerator<string> {
  const decoder = new StringDecoder(encoding);
  for (let start = 0; start < bytes.length; start += PIECE) {
    const text = decoder.write(bytes.subarray(start, start + PIECE));
    yield JSON.stringify(text).slice(1, -1);
    await othersTurn();
  }
  yield decoder.end();
}
