import { ServiceError } from '../lib/api-client';

const DELAY_MS = 300;
const RETRY_DELAY_MS = 5_000;

/**
 * Reads records again after events: many events cause one run, a run that has begun is followed by another one for
 * events meanwhile, and a run that failed is repeated unless its call can't succeed.
 */
export class CoalescedRefresh {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isRunning = false;
  private isDue = false;
  private isStopped = false;

  /** @param delayMs after an event, during which further events cause no other run */
  constructor(
    private readonly readRecords: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
    private readonly delayMs = DELAY_MS,
  ) {}

  scheduleRefresh(delayMs = this.delayMs): void {
    if (this.isStopped) return;
    if (this.isRunning) this.isDue = true;
    else this.timer ??= setTimeout(() => void this.refresh(), delayMs);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private async refresh(): Promise<void> {
    this.timer = undefined;
    this.isRunning = true;
    let retryDelayMs: number | undefined;
    try {
      await this.readRecords();
    } catch (error) {
      if (!this.isStopped) this.onError(error);
      if (!isFinalError(error)) retryDelayMs = RETRY_DELAY_MS;
    }
    this.isRunning = false;
    if (retryDelayMs !== undefined) this.scheduleRefresh(retryDelayMs);
    else if (this.isDue) this.scheduleRefresh();
    this.isDue = false;
  }
}

/** Whether a repetition would fail as well: the login has ended, or the record is gone. */
export const isFinalError = (error: unknown): boolean =>
  error instanceof ServiceError && error.status < 500 && error.status !== 429;
