/** Deterministic random numbers (mulberry32), so that a failure can be repeated from its seed. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Returns an integer from 0 up to, but not including, `end`. */
  nextBelow(end: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  pickValue<T>(values: readonly T[]): T {
    return values[this.nextBelow(values.length)]!;
  }

  /** Returns up to `count` of the values in random order. */
  sampleValues<T>(values: readonly T[], count: number): T[] {
    const remaining = [...values];
    const taken = Math.min(count, remaining.length);
    return Array.from({ length: taken }, () => remaining.splice(this.nextBelow(remaining.length), 1)[0]!);
  }

  /** Returns a new address for a caller without a valid credential. Otherwise all of them would share one bucket. */
  nextAddress(): string {
    return `10.${this.nextBelow(256)}.${this.nextBelow(256)}.${this.nextBelow(256)}`;
  }
}
