const WIDTH = 4;

/** First in, first out: jobs as four integers each, without an object per job. */
export class JobQueue {
  /** Of the job that was taken or looked at last. */
  a = 0;
  b = 0;
  c = 0;
  d = 0;
  private items = new Int32Array(WIDTH * 64);
  private first = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(a: number, b: number, c: number, d = 0): void {
    const capacity = this.items.length / WIDTH;
    if (this.count === capacity) this.grow(capacity);
    const at = WIDTH * ((this.first + this.count) % (this.items.length / WIDTH));
    this.items[at] = a;
    this.items[at + 1] = b;
    this.items[at + 2] = c;
    this.items[at + 3] = d;
    this.count += 1;
  }

  /** Leaves it where it is; false where there is none. */
  peek(): boolean {
    if (this.count === 0) return false;
    const at = WIDTH * this.first;
    this.a = this.items[at]!;
    this.b = this.items[at + 1]!;
    this.c = this.items[at + 2]!;
    this.d = this.items[at + 3]!;
    return true;
  }

  take(): boolean {
    if (!this.peek()) return false;
    this.first = (this.first + 1) % (this.items.length / WIDTH);
    this.count -= 1;
    return true;
  }

  clear(): void {
    this.first = this.count = 0;
  }

  private grow(capacity: number): void {
    const items = new Int32Array(2 * WIDTH * capacity);
    const head = this.items.subarray(WIDTH * this.first);
    items.set(head);
    items.set(this.items.subarray(0, WIDTH * this.first), head.length);
    this.items = items;
    this.first = 0;
  }
}
