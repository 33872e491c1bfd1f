import { headAndTail } from './head-and-tail';

/** What is kept of one output stream, marker included (device-api.md, Reference device). */
export const STREAM_LIMIT_BYTES = 256 * 1024;

/** Control characters grow sixfold in JSON; two streams must stay under the relay's 3 MiB per answer. */
const JSON_GROWTH_LIMIT = 5;

export interface CapturedOutput {
  /** UTF-8, broken sequences replaced; at most the limit in bytes */
  text: string;
  truncated: boolean;
  /** Bytes written, kept or not. */
  bytes: number;
}

/** Keeps the head and the tail of a stream in constant memory, however much is written. */
export class OutputBuffer {
  private readonly headLimit: number;
  private readonly tailLimit: number;
  private head: Buffer | undefined;
  private tail: Buffer | undefined;
  private headLength = 0;
  private tailWritten = 0;

  constructor(private readonly limit = STREAM_LIMIT_BYTES) {
    this.headLimit = Math.floor(limit / 2);
    this.tailLimit = limit - this.headLimit;
  }

  write(chunk: Buffer): void {
    const forHead = Math.min(this.headLimit - this.headLength, chunk.length);
    if (forHead > 0) {
      this.head ??= Buffer.allocUnsafe(this.headLimit);
      chunk.copy(this.head, this.headLength, 0, forHead);
      this.headLength += forHead;
    }
    if (forHead < chunk.length) this.writeTail(chunk.subarray(Math.max(0, forHead)));
  }

  read(): CapturedOutput {
    const kept = this.kept();
    const bytes = this.headLength + this.tailWritten;
    let budget = Math.min(bytes, this.limit);
    for (;;) {
      const text = headAndTail(kept, bytes, budget);
      const excess = Math.max(
        Buffer.byteLength(text) / this.limit,
        Buffer.byteLength(JSON.stringify(text)) / (this.limit * JSON_GROWTH_LIMIT),
      );
      if (excess <= 1) return { text, truncated: budget < bytes, bytes };
      budget = Math.floor((budget / excess) * 0.98);
    }
  }

  /** A ring: the newest `tailLimit` bytes, whatever the sizes of the chunks. */
  private writeTail(chunk: Buffer): void {
    this.tail ??= Buffer.allocUnsafe(this.tailLimit);
    const part = chunk.subarray(Math.max(0, chunk.length - this.tailLimit));
    const position = (this.tailWritten + chunk.length - part.length) % this.tailLimit;
    const untilEnd = Math.min(part.length, this.tailLimit - position);
    part.copy(this.tail, position, 0, untilEnd);
    part.copy(this.tail, 0, untilEnd);
    this.tailWritten += chunk.length;
  }

  private kept(): Buffer {
    const head = this.head?.subarray(0, this.headLength) ?? Buffer.alloc(0);
    if (!this.tail) return head;
    if (this.tailWritten <= this.tailLimit) return Buffer.concat([head, this.tail.subarray(0, this.tailWritten)]);
    const oldest = this.tailWritten % this.tailLimit;
    return Buffer.concat([head, this.tail.subarray(oldest), this.tail.subarray(0, oldest)]);
  }
}
