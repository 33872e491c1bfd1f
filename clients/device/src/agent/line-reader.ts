import type { JsonObject } from '../untrusted-values';
import { MessageOutline } from './message-outline';

/** Longest line that is read: some agents send a picture of several megabytes twice in one message. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

const LINE_FEED = 0x0a;

export interface LineHandlers {
  readLine(line: string): void;
  /**
   * A line of more than {@link MAX_LINE_BYTES} has ended.
   * @param outline what is known of the message, see {@link MessageOutline}
   */
  skipLine(bytes: number, outline: JsonObject | undefined): void;
}

/** Divides bytes into lines. It holds one line at most, and of one that is too long only an outline. */
export class LineReader {
  private parts: Buffer[] = [];
  private byteCount = 0;
  private outline: MessageOutline | undefined;
  private isClosed = false;

  constructor(private readonly handlers: LineHandlers) {}

  readChunk(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1 && !this.isClosed; end = chunk.indexOf(LINE_FEED, start)) {
      this.collectBytes(chunk.subarray(start, end));
      this.endLine();
      start = end + 1;
    }
    if (!this.isClosed) this.collectBytes(chunk.subarray(start));
  }

  /** Reads nothing more, also of the present chunk. */
  close(): void {
    this.isClosed = true;
    this.forgetLine();
  }

  private collectBytes(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.byteCount += bytes.length;
    this.parts.push(bytes);
    if (this.byteCount <= MAX_LINE_BYTES) return;
    this.outline ??= new MessageOutline();
    for (const part of this.parts) this.outline.readBytes(part);
    this.parts = [];
  }

  private endLine(): void {
    const { parts, byteCount, outline } = this;
    this.forgetLine();
    if (outline) return this.handlers.skipLine(byteCount, outline.getMessage());
    const line = Buffer.concat(parts).toString('utf8').trim();
    if (line) this.handlers.readLine(line);
  }

  private forgetLine(): void {
    this.parts = [];
    this.byteCount = 0;
    this.outline = undefined;
  }
}
