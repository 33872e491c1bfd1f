import {
  MAX_LIVE_OUTPUT_BYTES,
  MAX_LIVE_OUTPUT_BYTES_PER_SECOND,
  OUTPUT_STREAMS,
  type OutputStreamName,
} from '@external-api/protocol';
import type { LiveOutputRequests } from '../live/live-output-requests';
import { TokenBucket } from '../live/token-bucket';

/** How long output waits for more, in ms, so that a command that writes lines doesn't send one message for each. */
const MERGE_INTERVAL_MS = 100;
/** The end of a command sends what both streams have left. The rest of a second's bytes leaves room for it. */
const END_BYTES = OUTPUT_STREAMS.length * MAX_LIVE_OUTPUT_BYTES;
const REFILL_BYTES_PER_SECOND = MAX_LIVE_OUTPUT_BYTES_PER_SECOND / 2;
const BURST_BYTES = MAX_LIVE_OUTPUT_BYTES_PER_SECOND - REFILL_BYTES_PER_SECOND - END_BYTES;

/**
 * Sends the output of one command while somebody reads it (docs/protocol/invocations.md#live-output). The newest bytes
 * of each stream wait for the rate limit and the socket; older ones are dropped. The command waits for neither.
 */
export class LiveOutputSender {
  private readonly unsent = new Map<OutputStreamName, UnsentBytes>();
  private readonly bucket: TokenBucket;
  private timer: NodeJS.Timeout | undefined;

  /** @param now monotonic time in ms */
  constructor(
    private readonly invocationId: string,
    private readonly liveOutput: LiveOutputRequests,
    now?: () => number,
  ) {
    this.bucket = new TokenBucket(BURST_BYTES, REFILL_BYTES_PER_SECOND, now);
  }

  /** @param offset position of the bytes in everything that the command has written to the stream */
  addBytes(stream: OutputStreamName, offset: number, bytes: Buffer): void {
    if (!this.findConnection()) return this.discardBytes();
    const unsent = this.unsent.get(stream) ?? new UnsentBytes(offset);
    this.unsent.set(stream, unsent);
    for (let rest = bytes; rest.length > 0;) {
      if (unsent.isFull && !this.sendBytes(stream, unsent)) unsent.dropOldest(rest.length);
      rest = rest.subarray(unsent.append(rest));
    }
    if (unsent.isFull) this.sendBytes(stream, unsent);
    this.startTimer();
  }

  /** Sends the rest, after the last bytes were added. */
  close(): void {
    clearTimeout(this.timer);
    if (this.findConnection()?.isCongested === false)
      for (const [stream, unsent] of this.unsent) this.sendMessage(stream, unsent);
    this.unsent.clear();
  }

  private startTimer(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const [stream, unsent] of this.unsent) this.sendBytes(stream, unsent);
      if (!this.findConnection()) this.discardBytes();
      else if ([...this.unsent.values()].some(({ length }) => length > 0)) this.startTimer();
    }, MERGE_INTERVAL_MS).unref();
  }

  /** Returns false if nothing may be sent now. */
  private sendBytes(stream: OutputStreamName, unsent: UnsentBytes): boolean {
    const isAllowed = this.findConnection()?.isCongested === false && this.bucket.tryConsume(unsent.length);
    if (isAllowed) this.sendMessage(stream, unsent);
    return isAllowed;
  }

  private sendMessage(stream: OutputStreamName, unsent: UnsentBytes): void {
    if (unsent.length === 0) return;
    const { invocationId } = this;
    this.findConnection()?.sendLiveMessage('output', { invocationId, stream, ...unsent.takeBytes() });
  }

  private findConnection() {
    return this.liveOutput.findInvocationConnection(this.invocationId);
  }

  /** Nobody reads them, and a reader who comes later begins with what is written then. */
  private discardBytes(): void {
    this.unsent.clear();
  }
}

/** The bytes of a stream that wait to be sent, at most those of one message. */
class UnsentBytes {
  private readonly buffer = Buffer.allocUnsafe(MAX_LIVE_OUTPUT_BYTES);
  private count = 0;

  /** @param offset position of the first byte in the stream */
  constructor(private offset: number) {}

  get length(): number {
    return this.count;
  }

  get isFull(): boolean {
    return this.count === this.buffer.length;
  }

  /** Adds bytes that follow the others, as many as fit. Returns their number. */
  append(bytes: Buffer): number {
    const copied = bytes.copy(this.buffer, this.count);
    this.count += copied;
    return copied;
  }

  dropOldest(count: number): void {
    const dropped = Math.min(count, this.count);
    this.buffer.copyWithin(0, dropped, this.count);
    this.offset += dropped;
    this.count -= dropped;
  }

  takeBytes(): { offset: number; data: string } {
    const message = { offset: this.offset, data: this.buffer.toString('base64', 0, this.count) };
    this.offset += this.count;
    this.count = 0;
    return message;
  }
}
