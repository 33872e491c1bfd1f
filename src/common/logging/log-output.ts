import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { escapeLineBreaks } from '../json-line';
import { SERVICE_VERSION } from '../version';

const STANDARD_OUTPUT = 1;
const WARNING_LEVEL = 40;
/** Lines wait for so long for others, and a write that failed is repeated after this time. */
const WRITE_INTERVAL_MS = 100;
/** Lines of this length together are written at once. */
const BATCH_LENGTH = 16 * 1024;
/** Length of the lines that may wait for a disk that is full, or for a program that stopped reading. */
const MAX_WAITING_LENGTH = 8 * 1024 * 1024;
/** At its end, the process waits so long for a program that reads slowly. */
const MAX_EXIT_DELAY_MS = 1_000;
const EXIT_RETRY_INTERVAL_MS = 10;

/**
 * Writes the lines of a logger together, because a write for each is a fifth of the CPU time of a relayed call
 * (docs/performance.md#log-lines). Pending lines are written when the process exits, unless it is killed. A full disk,
 * or a program that stopped reading, neither stops the service nor exhausts its memory: lines beyond a limit are
 * dropped, and counted in a line after the others.
 */
export class LogOutput implements DestinationStream {
  private waitingLines = '';
  /** What is left of the lines that are being written. */
  private batch = Buffer.alloc(0);
  private isWriting = false;
  private writeTimer: NodeJS.Timeout | null = null;
  private droppedLines = 0;

  constructor(
    private readonly descriptor = STANDARD_OUTPUT,
    private readonly maxWaitingLength = MAX_WAITING_LENGTH,
  ) {
    process.once('exit', () => this.writeBeforeExit());
  }

  write(line: string): void {
    if (this.waitingLines.length + line.length > this.maxWaitingLength) {
      this.droppedLines += 1;
      return;
    }
    this.waitingLines += escapeLineBreaks(line);
    if (this.waitingLines.length >= BATCH_LENGTH) this.writeNextBatch();
    else this.writeTimer ??= setTimeout(() => this.writeNextBatch(), WRITE_INTERVAL_MS).unref();
  }

  private writeNextBatch(): void {
    if (this.writeTimer) clearTimeout(this.writeTimer);
    this.writeTimer = null;
    if (this.batch.length > 0 || this.waitingLines === '') return;
    this.batch = Buffer.from(this.waitingLines);
    this.waitingLines = '';
    this.writeBatch();
  }

  private writeBatch(): void {
    this.isWriting = true;
    write(this.descriptor, this.batch, (error, bytesWritten) => {
      this.isWriting = false;
      if (error) {
        setTimeout(() => this.writeBatch(), WRITE_INTERVAL_MS).unref();
        return;
      }
      this.batch = this.batch.subarray(bytesWritten);
      if (this.batch.length > 0) this.writeBatch();
      else this.finishBatch();
    });
  }

  /** Lines that came meanwhile have waited for their interval if no timer is set. */
  private finishBatch(): void {
    if (this.droppedLines > 0) {
      const fields = { level: WARNING_LEVEL, time: Date.now(), version: SERVICE_VERSION, lines: this.droppedLines };
      this.waitingLines += `${JSON.stringify({ ...fields, msg: 'log lines dropped' })}\n`;
      this.droppedLines = 0;
    }
    if (!this.writeTimer) this.writeNextBatch();
  }

  /** A batch that is being written is completed by its thread. */
  private writeBeforeExit(): void {
    let rest = Buffer.concat([this.isWriting ? Buffer.alloc(0) : this.batch, Buffer.from(this.waitingLines)]);
    const deadline = Date.now() + MAX_EXIT_DELAY_MS;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.descriptor, rest));
      } catch (error) {
        // No other error is worth waiting for, such as that of a full disk.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || Date.now() > deadline) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_RETRY_INTERVAL_MS);
      }
    }
  }
}
