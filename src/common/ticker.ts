import { Logger } from '@nestjs/common';

/** Repeats work until it is stopped, one run after the other; the first failure of several is logged. */
export class Ticker {
  private readonly logger = new Logger('Ticker');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = false;
  private failing = false;

  /** @param work says so itself when there is more to do at once, by answering true */
  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly work: () => Promise<boolean | void>,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.nudge(), this.everyMs).unref();
  }

  /** Runs it now, or once more after the run that is under way. */
  nudge(): void {
    if (this.stopped) return;
    this.again = true;
    this.running ??= this.runAll().finally(() => {
      this.running = null;
      if (this.again) this.nudge();
    });
  }

  /** Resolves when the last run has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  private async runAll(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false;
      try {
        if (await this.work()) this.again = true;
        this.failing = false;
      } catch (error) {
        const told = { work: this.name, reason: (error as Error).message };
        if (!this.failing) this.logger.warn(told, 'a run failed; it is repeated');
        this.failing = true;
      }
    }
  }
}
