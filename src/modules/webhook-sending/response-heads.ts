import type { Socket } from 'node:net';

/** Beyond it, a head is passed on as it is, and undici refuses it for its size. */
const MAX_HEAD_BYTES = 16_384;
/** Interim responses before the final one. A receiver that sends more doesn't mean to send a final one. */
const MAX_INTERIM_RESPONSES = 100;

const PROTOCOL_NAME = 'HTTP/';
/** Status code of an interim response other than 101, which ends HTTP on the connection (RFC 9110 §15.2). */
const INTERIM_STATUS = /^HTTP\/1\.[0-9] 1(?!01)[0-9]{2}(?![0-9])/;

/** Thrown when a receiver sends interim responses without end. */
export class TooManyInterimResponsesError extends Error {
  constructor() {
    super('the receiver sent too many interim responses');
    this.name = 'TooManyInterimResponsesError';
  }
}

/**
 * Makes undici accept any legal head of a response: removes interim responses, of which it refuses 100, and normalizes
 * the final one.
 */
export function acceptAnyResponseHead(socket: Socket): void {
  const reader = new ResponseHeadReader();
  const [push, write] = [socket.push.bind(socket), socket.write.bind(socket)];
  socket.push = (chunk: Buffer | null, ...more: []) => {
    try {
      const rest = chunk === null ? reader.takeHeldBytes() : reader.readChunk(chunk);
      const wantsMore = rest.length > 0 ? push(rest, ...more) : true;
      return chunk === null ? push(null) : wantsMore;
    } catch (error) {
      socket.destroy(error as Error);
      return false;
    }
  };
  // undici sends the next request of a connection when it has the whole response to the one before.
  socket.write = ((...chunk: Parameters<Socket['write']>) => {
    reader.expectResponse();
    return write(...chunk);
  }) as Socket['write'];
}

class ResponseHeadReader {
  private isInHead = false;
  private heldBytes = Buffer.alloc(0);
  private interimCount = 0;

  expectResponse(): void {
    if (this.isInHead) return;
    this.isInHead = true;
    this.interimCount = 0;
  }

  /** Returns the bytes for undici. @throws TooManyInterimResponsesError */
  readChunk(chunk: Buffer): Buffer {
    if (!this.isInHead) return chunk;
    this.heldBytes = Buffer.concat([this.heldBytes, chunk]);
    for (;;) {
      const text = this.heldBytes.toString('latin1');
      const start = /^[\r\n]*/.exec(text)![0].length;
      const isHttp = PROTOCOL_NAME.startsWith(text.slice(start, start + PROTOCOL_NAME.length));
      const end = /\r?\n\r?\n/.exec(text.slice(start));
      if (!isHttp || (!end && text.length > MAX_HEAD_BYTES)) return this.takeHeldBytes();
      if (!end) return Buffer.alloc(0);
      const headEnd = start + end.index + end[0].length;
      const head = text.slice(start, headEnd);
      if (!INTERIM_STATUS.test(head)) {
        const body = this.heldBytes.subarray(headEnd);
        this.takeHeldBytes();
        return Buffer.concat([Buffer.from(normalizeHead(head), 'latin1'), body]);
      }
      if (++this.interimCount > MAX_INTERIM_RESPONSES) throw new TooManyInterimResponsesError();
      this.heldBytes = this.heldBytes.subarray(headEnd);
    }
  }

  /** Returns the bytes of an incomplete head. What follows is passed on as it is. */
  takeHeldBytes(): Buffer {
    const bytes = this.heldBytes;
    this.heldBytes = Buffer.alloc(0);
    this.isInHead = false;
    return bytes;
  }
}

/**
 * Replaces line folding and bare line feeds, repeated lengths by one, and empty members of lists (RFC 9112 §2.2, §5.2
 * and §6.3, RFC 9110 §5.6.1.2).
 */
function normalizeHead(head: string): string {
  const unfolded = head.replaceAll(/\r?\n/g, '\r\n').replaceAll(/\r\n[ \t]/g, ' ');
  const lines = unfolded.split('\r\n').slice(0, -2);
  const isFraming = (line: string) => /^(content-length|transfer-encoding):/i.test(line);
  const readList = (name: string) =>
    lines
      .filter((line) => line.toLowerCase().startsWith(`${name}:`))
      .flatMap((line) => line.slice(name.length + 1).split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '');
  const lengths = new Set(readList('content-length'));
  const codings = readList('transfer-encoding');
  // undici refuses different lengths, and a head without any is whole already.
  if (lengths.size > 1 || lengths.size + codings.length === 0) return unfolded;
  const others = lines.filter((line) => !isFraming(line));
  const framing = [...lengths].map((length) => `content-length: ${length}`);
  if (codings.length > 0) framing.push(`transfer-encoding: ${codings.join(', ')}`);
  return [...others, ...framing, '', ''].join('\r\n');
}
