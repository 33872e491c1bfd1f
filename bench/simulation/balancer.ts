import { NOWHERE } from './fleet';
import type { Instance } from './instance';
import type { Options } from './options';
import type { Random } from './random';

/** Which instance a new socket goes to (deploy/haproxy.cfg, backend sockets). */
export class Balancer {
  /** Where the search for the least loaded begins, so that equals take turns. */
  private turn = 0;
  /** Instances that its checks have not yet found draining count. */
  private readonly hidden = new Set<Instance>();

  constructor(
    private readonly instances: readonly Instance[],
    private readonly random: Random,
    private readonly options: Pick<Options, 'randomBalance' | 'slowStartMs'>,
  ) {}

  /** Its checks found that the instance drains. */
  hide(instance: Instance): void {
    this.hidden.add(instance);
  }

  show(instance: Instance): void {
    this.hidden.delete(instance);
  }

  choose(now: number): number {
    return this.options.randomBalance === 1 ? this.lessLoadedOfTwo() : this.leastLoaded(now);
  }

  private takes(instance: Instance): boolean {
    return instance.isUp && !this.hidden.has(instance);
  }

  private leastLoaded(now: number): number {
    const { length } = this.instances;
    let best = NOWHERE;
    let least = Infinity;
    for (let step = 0; step < length; step++) {
      const index = (this.turn + step) % length;
      const instance = this.instances[index]!;
      const load = instance.connections / this.weightOf(instance, now);
      if (load >= least || !this.takes(instance)) continue;
      least = load;
      best = index;
    }
    this.turn = (this.turn + 1) % length;
    return best;
  }

  /** An instance that has just come back counts for less, and so comes to its share slowly (`slowstart`). */
  private weightOf({ startedAt }: Instance, now: number): number {
    const { slowStartMs } = this.options;
    return slowStartMs === 0 ? 1 : Math.min(1, Math.max(0.01, (now - startedAt) / slowStartMs));
  }

  private lessLoadedOfTwo(): number {
    const first = this.any();
    const second = this.any();
    if (first === NOWHERE || second === NOWHERE) return first;
    return this.instances[second]!.connections < this.instances[first]!.connections ? second : first;
  }

  private any(): number {
    for (let tries = 0; tries < 1_000; tries++) {
      const index = Math.floor(this.random.next() * this.instances.length);
      if (this.takes(this.instances[index]!)) return index;
    }
    return NOWHERE;
  }
}
