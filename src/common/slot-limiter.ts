/** What a key has used up: its own slots, or those of all. */
export type SlotLimit = 'key' | 'total';

/** Limits what runs at once, per key and in total. */
export class SlotLimiter {
  private readonly countByKey = new Map<string, number>();
  private totalCount = 0;

  constructor(
    private readonly maxPerKey: number,
    private readonly maxTotal = Infinity,
  ) {}

  get size(): number {
    return this.totalCount;
  }

  /** Takes a slot and returns null, or returns the limit that it would exceed. */
  acquireSlot(key: string): SlotLimit | null {
    if (this.totalCount >= this.maxTotal) return 'total';
    const count = this.countByKey.get(key) ?? 0;
    if (count >= this.maxPerKey) return 'key';
    this.countByKey.set(key, count + 1);
    this.totalCount += 1;
    return null;
  }

  releaseSlot(key: string): void {
    const count = (this.countByKey.get(key) ?? 0) - 1;
    if (count > 0) this.countByKey.set(key, count);
    else this.countByKey.delete(key);
    this.totalCount -= 1;
  }
}
