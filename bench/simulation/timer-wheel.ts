const NONE = -1;

/** One timer for each of many owners, at a resolution of a tick: setting, ending and firing cost the same for any number. */
export class TimerWheel {
  private readonly heads: Int32Array;
  private readonly next: Int32Array;
  private readonly previous: Int32Array;
  private readonly slots: Int32Array;
  private readonly mask: number;
  private tick = 0;

  /** @param maxTicks the longest delay that is ever set */
  constructor(owners: number, maxTicks: number) {
    const size = 2 ** Math.ceil(Math.log2(maxTicks + 2));
    this.mask = size - 1;
    this.heads = new Int32Array(size).fill(NONE);
    this.next = new Int32Array(owners).fill(NONE);
    this.previous = new Int32Array(owners).fill(NONE);
    this.slots = new Int32Array(owners).fill(NONE);
  }

  /** Replaces the owner's timer; at least a tick from now. @throws RangeError beyond `maxTicks` */
  set(owner: number, ticks: number): void {
    this.end(owner);
    const delay = Math.max(1, Math.round(ticks));
    if (delay > this.mask) throw new RangeError(`a timer of ${delay} ticks`);
    const slot = (this.tick + delay) & this.mask;
    const head = this.heads[slot]!;
    this.next[owner] = head;
    this.previous[owner] = NONE;
    if (head !== NONE) this.previous[head] = owner;
    this.heads[slot] = owner;
    this.slots[owner] = slot;
  }

  end(owner: number): void {
    const slot = this.slots[owner]!;
    if (slot === NONE) return;
    const next = this.next[owner]!;
    const previous = this.previous[owner]!;
    if (previous === NONE) this.heads[slot] = next;
    else this.next[previous] = next;
    if (next !== NONE) this.previous[next] = previous;
    this.slots[owner] = NONE;
  }

  /** Moves on by one tick and fires what is due. */
  advance(fire: (owner: number) => void): void {
    this.tick += 1;
    const slot = this.tick & this.mask;
    for (let owner = this.heads[slot]!; owner !== NONE; owner = this.heads[slot]!) {
      this.end(owner);
      fire(owner);
    }
  }
}
