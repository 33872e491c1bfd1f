/** As many wait at a turnstile as it has room for. */
export class TurnstileFullError extends Error {
  constructor() {
    super('too many wait already');
    this.name = 'TurnstileFullError';
  }
}

/** Lets so many through at a time; the others wait in the order in which they came. */
export class Turnstile {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly room = Infinity,
  ) {}

  /** @throws TurnstileFullError at once, and whatever `work` throws */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private enter(): Promise<void> | undefined {
    if (this.inside >= this.atOnce) {
      if (this.waiting.length >= this.room) throw new TurnstileFullError();
      return new Promise((resolve) => this.waiting.push(resolve));
    }
    this.inside += 1;
    return undefined;
  }

  /** The place passes to whoever waits longest, so that nobody slips in between. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.inside -= 1;
  }
}
