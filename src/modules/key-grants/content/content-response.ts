import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import type { Response } from 'express';
import { compressResponse, writeChunk } from '../../../common/http';
import type { ContentReadResult } from './content-reader';

/** A multiple of 3, so that the concatenated base64 of chunks is the base64 of the whole. */
const CONTENT_CHUNK_BYTES = 48 * 1024;

/**
 * Sends `{"data": …}` of PlaintextContent or SealedContent, with `contentHash` where the content has one. It has no
 * ETag, because content must not be cached. It is written in chunks, because serializing several megabytes of JSON
 * would block the event loop.
 */
export function sendContentJson(
  response: Response,
  { id, sessionId, contentHash }: { id: string; sessionId: string | null; contentHash?: string },
  content: ContentReadResult,
): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const { encoding, grantId } = content;
  const tail = { grantId, ...(contentHash !== undefined && { contentHash }) };
  if (content.encoding === 'sealed') {
    const chunks = escapeJsonChunks(Buffer.from(content.content), 'utf8');
    return writeContentJson(response, { id, sessionId, encoding }, chunks, { key: content.key, ...tail });
  }
  const { bytes, mediaType } = content;
  const contentEncoding = isUtf8(bytes) ? 'utf8' : 'base64';
  const head = { id, sessionId, encoding, mediaType };
  return writeContentJson(response, head, escapeJsonChunks(bytes, contentEncoding), {
    contentEncoding,
    ...tail,
  });
}

/** Sends raw bytes with headers that prevent a browser from rendering them as a page of this host. */
export function sendContentBytes(response: Response, bytes: Buffer): void {
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Content-Disposition', 'attachment');
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** Writes the members of `data` in order, with `content` between `head` and `tail`. */
async function writeContentJson(response: Response, head: object, content: Iterable<string>, tail: object) {
  compressResponse(response);
  response.write(`{"data":${JSON.stringify(head).slice(0, -1)},"content":"`);
  for (const chunk of content) {
    if (!(await writeChunk(response, chunk))) return;
  }
  response.end(`",${JSON.stringify(tail).slice(1)}}`);
}

/** Yields the escaped content of a JSON string, without its quotes. */
function* escapeJsonChunks(bytes: Buffer, encoding: 'utf8' | 'base64'): Generator<string> {
  const decoder = new StringDecoder(encoding);
  for (let start = 0; start < bytes.length; start += CONTENT_CHUNK_BYTES) {
    const text = decoder.write(bytes.subarray(start, start + CONTENT_CHUNK_BYTES));
    yield JSON.stringify(text).slice(1, -1);
  }
  yield decoder.end();
}
