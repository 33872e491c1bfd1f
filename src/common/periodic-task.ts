import { Logger } from '@nestjs/common';
import { runOutsideRequestContext } from './request-context';

/** Runs a task at an interval without overlap. Logs the first of several consecutive failures. */
export class PeriodicTask {
  private readonly logger = new Logger('PeriodicTask');
  private timer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | null = null;
  private isTriggered = false;
  private isStopped = false;
  private isFailing = false;

  /**
   * @param runOnce resolves to true if more work is pending; the task then runs again immediately. A run that returns
   * nothing has ended when it returns, so that slow work that it started does not delay the next run.
   */
  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly runOnce: () => Promise<boolean | void> | void,
  ) {}

  /** Does nothing if the timer runs: Nest calls the hooks of an instance once for each of its tokens. */
  start(): void {
    this.timer ??= setInterval(() => this.trigger(), this.intervalMs).unref();
  }

  /** Runs the task now, or once more after the current run. A run is not part of a request that triggers it. */
  trigger(): void {
    if (this.isStopped) return;
    this.isTriggered = true;
    this.currentRun ??= runOutsideRequestContext(() => this.runWhileTriggered()).finally(() => {
      this.currentRun = null;
      if (this.isTriggered) this.trigger();
    });
  }

  /** Stops the timer and resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.currentRun;
  }

  private async runWhileTriggered(): Promise<void> {
    while (this.isTriggered && !this.isStopped) {
      this.isTriggered = false;
      try {
        if (await this.runOnce()) this.isTriggered = true;
        this.isFailing = false;
      } catch (error) {
        const logFields = { work: this.name, reason: (error as Error).message };
        if (!this.isFailing) this.logger.warn(logFields, 'periodic task failed');
        this.isFailing = true;
      }
    }
  }
}
