import { JobQueue } from './job-queue';

/** PostgreSQL or Redis: some cores that take jobs in their order, whoever sent them. */
export class SharedServer {
  private readonly queue = new JobQueue();
  private budget = 0;
  /** µs of a core that each kind of job takes. */
  private readonly costs: readonly number[];
  /** Jobs done in all. */
  done = 0;

  /** @param cores those that are left for this, in parts of one too */
  constructor(
    private readonly cores: number,
    costs: readonly number[],
  ) {
    this.costs = costs;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** @param from what `done` gets with it */
  send(device: number, serial: number, kind: number, from: number): void {
    this.queue.push(device, serial * 4 + kind, from);
  }

  run(ms: number, done: (device: number, serial: number, kind: number, from: number) => void): void {
    const { queue } = this;
    this.budget = Math.min(this.budget, 0) + ms * 1_000 * this.cores;
    while (this.budget > 0 && queue.take()) {
      const { a, b, c } = queue;
      this.budget -= this.costs[b & 3]!;
      this.done += 1;
      done(a, b >> 2, b & 3, c);
    }
  }
}
