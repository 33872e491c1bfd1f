/** Thrown when the wait queue is full. */
export class ConcurrencyQueueFullError extends Error {
  constructor() {
    super('concurrency queue is full');
    this.name = 'ConcurrencyQueueFullError';
  }
}

/** Semaphore: runs at most `maxConcurrent` tasks at a time and queues the others first in, first out. */
export class ConcurrencyLimiter {
  private activeCount = 0;
  private readonly queue: (() => void)[] = [];

  constructor(
    private readonly maxConcurrent: number,
    private readonly maxQueueLength = Infinity,
  ) {}

  /** @throws ConcurrencyQueueFullError immediately when the queue is full; errors of `work` are passed on */
  async runLimited<T>(work: () => Promise<T>): Promise<T> {
    await this.acquireSlot();
    try {
      return await work();
    } finally {
      this.releaseSlot();
    }
  }

  private acquireSlot(): Promise<void> | undefined {
    if (this.activeCount >= this.maxConcurrent) {
      if (this.queue.length >= this.maxQueueLength) throw new ConcurrencyQueueFullError();
      return new Promise((resolve) => this.queue.push(resolve));
    }
    this.activeCount += 1;
    return undefined;
  }

  /** Passes the slot to the first task in the queue directly, so that a new caller can't overtake it. */
  private releaseSlot(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.activeCount -= 1;
  }
}
