/** A set whose members leave by themselves. */
export class ExpiringIds {
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  add(id: string, untilMs: number): void {
    this.sweep();
    this.until.set(id, untilMs);
  }

  has(id: string): boolean {
    return (this.until.get(id) ?? -Infinity) > this.now();
  }

  get size(): number {
    return this.until.size;
  }

  /** Members were added roughly in the order of their end, so the first that is still good ends the search. */
  private sweep(): void {
    const now = this.now();
    for (const [id, until] of this.until) {
      if (until > now) return;
      this.until.delete(id);
    }
  }
}
