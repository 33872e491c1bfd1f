import { Logger } from '@nestjs/common';
import { PeriodicTask } from './periodic-task';

export interface BufferedWriterOptions<T> {
  /** Writes a batch, oldest row first. When it throws, the rows return to the buffer. */
  writeRows: (rows: T[]) => Promise<void>;
  flushIntervalMs: number;
  /** Maximum rows of one write; unlimited by default. */
  maxBatchRows?: number;
  /** When the buffer is full, the oldest row is dropped; unlimited by default. */
  maxBufferedRows?: number;
  /** Sums up buffered rows with the same key. */
  merging?: { getKey: (row: T) => string; addTo: (sum: T, row: T) => void };
}

/**
 * Collects rows in memory and writes them in batches, so that callers do not wait for the database. Failed writes are
 * retried at the next interval. A crash loses the buffered rows; a clean shutdown that calls `stop` does not.
 */
export class BufferedWriter<T extends object> {
  private readonly logger = new Logger('BufferedWriter');
  private readonly flushTask: PeriodicTask;
  private bufferedRows = new Map<string | T, T>();
  private rowsInFlight = new Map<string | T, T>();
  private droppedRows = 0;
  private lastFlush: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly name: string,
    private readonly options: BufferedWriterOptions<T>,
  ) {
    this.flushTask = new PeriodicTask(`${name} flush`, options.flushIntervalMs, async () => {
      await this.flush();
    });
  }

  /** Rows that are not written yet. */
  get bufferedCount(): number {
    return this.rowsInFlight.size + this.bufferedRows.size;
  }

  /** Rows dropped because the buffer was full, since the start. */
  get droppedCount(): number {
    return this.droppedRows;
  }

  start(): void {
    this.flushTask.start();
  }

  /** Stops the timer and writes the buffered rows until the buffer is empty or a write fails. */
  async stop(): Promise<void> {
    await this.flushTask.stop();
    let isWritten: boolean;
    do {
      isWritten = await this.flush();
    } while (isWritten && this.bufferedRows.size > 0);
  }

  add(row: T): void {
    this.addToBuffer(row);
    const { maxBufferedRows = Infinity } = this.options;
    if (this.bufferedCount > maxBufferedRows) {
      this.dropOldestRow();
      this.droppedRows++;
      this.logger.warn(`${this.name} buffer full; oldest row dropped`);
    }
  }

  /** Writes the rows that are buffered now, after the flush in progress. Returns false when a write fails. */
  flush(): Promise<boolean> {
    this.lastFlush = this.lastFlush.then(() => this.writeBatches());
    return this.lastFlush;
  }

  private async writeBatches(): Promise<boolean> {
    const { maxBatchRows = Infinity } = this.options;
    // Rows added during the last, partial batch wait for the next flush, so that a flush ends under steady load.
    for (let isFull = this.bufferedRows.size > 0; isFull;) {
      const batch = this.takeBatch(maxBatchRows);
      if (batch.length === 0) break;
      isFull = batch.length === maxBatchRows;
      try {
        await this.options.writeRows(batch);
      } catch (error) {
        this.restoreRowsInFlight();
        const reason = (error as Error).message;
        this.logger.warn({ rows: batch.length, reason }, `${this.name} write failed; retrying`);
        return false;
      }
      this.rowsInFlight.clear();
    }
    return true;
  }

  private takeBatch(maxRows: number): T[] {
    for (const [key, row] of this.bufferedRows) {
      if (this.rowsInFlight.size >= maxRows) break;
      this.rowsInFlight.set(key, row);
      this.bufferedRows.delete(key);
    }
    return [...this.rowsInFlight.values()];
  }

  /** Puts the rows of a failed write in front of rows that were added meanwhile. */
  private restoreRowsInFlight(): void {
    const newerRows = this.bufferedRows;
    this.bufferedRows = this.rowsInFlight;
    this.rowsInFlight = new Map();
    for (const [key, row] of newerRows) this.addToBuffer(row, key);
  }

  private addToBuffer(row: T, key: string | T = this.options.merging?.getKey(row) ?? row): void {
    const sum = this.bufferedRows.get(key);
    if (sum && sum !== row) this.options.merging?.addTo(sum, row);
    else this.bufferedRows.set(key, row);
  }

  /** Rows in flight are the oldest. They are still written, but not restored when the write fails. */
  private dropOldestRow(): void {
    const rows = this.rowsInFlight.size > 0 ? this.rowsInFlight : this.bufferedRows;
    for (const key of rows.keys()) {
      rows.delete(key);
      return;
    }
  }
}
