import { truncateMiddle } from './truncation';

/** Maximum captured output per stream, including the marker (docs/protocol/device-api.md#reference-device). */
export const STREAM_LIMIT_BYTES = 256 * 1024;

/** Control characters grow sixfold in JSON, and two streams must fit into the relay's 3 MiB per response. */
const MAX_JSON_GROWTH = 5;

export interface CapturedOutput {
  /** UTF-8 with invalid sequences replaced; its size in bytes does not exceed the limit. */
  text: string;
  truncated: boolean;
  /** Number of bytes written, captured or not. */
  bytes: number;
}

/** Captures the head and the tail of a stream in constant memory. */
export class OutputBuffer {
  private readonly headLimit: number;
  private readonly tailLimit: number;
  private head: Buffer | undefined;
  private tail: Buffer | undefined;
  private headByteCount = 0;
  private tailBytesWritten = 0;

  constructor(private readonly limit = STREAM_LIMIT_BYTES) {
    this.headLimit = Math.floor(limit / 2);
    this.tailLimit = limit - this.headLimit;
  }

  writeChunk(chunk: Buffer): void {
    const headBytes = Math.min(this.headLimit - this.headByteCount, chunk.length);
    if (headBytes > 0) {
      this.head ??= Buffer.allocUnsafe(this.headLimit);
      chunk.copy(this.head, this.headByteCount, 0, headBytes);
      this.headByteCount += headBytes;
    }
    if (headBytes < chunk.length) this.writeTail(chunk.subarray(Math.max(0, headBytes)));
  }

  readOutput(): CapturedOutput {
    const captured = this.joinCapturedBytes();
    const bytes = this.headByteCount + this.tailBytesWritten;
    let budget = Math.min(bytes, this.limit);
    for (;;) {
      const text = truncateMiddle(captured, bytes, budget);
      const excess = Math.max(
        Buffer.byteLength(text) / this.limit,
        Buffer.byteLength(JSON.stringify(text)) / (this.limit * MAX_JSON_GROWTH),
      );
      if (excess <= 1) return { text, truncated: budget < bytes, bytes };
      budget = Math.floor((budget / excess) * 0.98);
    }
  }

  /** Writes to a ring buffer of the newest `tailLimit` bytes. */
  private writeTail(chunk: Buffer): void {
    this.tail ??= Buffer.allocUnsafe(this.tailLimit);
    const newestBytes = chunk.subarray(Math.max(0, chunk.length - this.tailLimit));
    const position = (this.tailBytesWritten + chunk.length - newestBytes.length) % this.tailLimit;
    const bytesUntilWrap = Math.min(newestBytes.length, this.tailLimit - position);
    newestBytes.copy(this.tail, position, 0, bytesUntilWrap);
    newestBytes.copy(this.tail, 0, bytesUntilWrap);
    this.tailBytesWritten += chunk.length;
  }

  private joinCapturedBytes(): Buffer {
    const head = this.head?.subarray(0, this.headByteCount) ?? Buffer.alloc(0);
    if (!this.tail) return head;
    if (this.tailBytesWritten <= this.tailLimit)
      return Buffer.concat([head, this.tail.subarray(0, this.tailBytesWritten)]);
    const oldest = this.tailBytesWritten % this.tailLimit;
    return Buffer.concat([head, this.tail.subarray(oldest), this.tail.subarray(0, oldest)]);
  }
}
