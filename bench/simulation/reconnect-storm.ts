import type { Costs } from './costs';
import type { Options } from './options';
import type { Recorder } from './recorder';
import { World } from './world';

export interface Storm {
  lost: number;
  /** Seconds until this part of the lost devices is back; null where it never is. */
  backAfter: Record<'p50' | 'p99' | 'p999', number | null>;
  recorder: Recorder;
}

/** Instances end at once, or every socket is cut, and the devices come back. */
export function reconnectStorm(options: Options, costs: Costs): Storm {
  const world = new World(options, costs);
  const { fleet } = world.clients;
  const knowAfter = untilKnown(world);
  const all = options.lost >= options.instances;
  const hit = world.instances.slice(0, Math.min(options.lost, options.instances));
  for (const instance of hit) {
    if (all) world.cut(instance, knowAfter);
    else world.kill(instance, knowAfter);
  }
  const lost = fleet.size - fleet.online;
  const back = new Progress(fleet.size - lost, lost);
  const end = options.maxSeconds * 1_000;
  while (world.now < end && !(world.now % 1_000 === 0 && world.now > 0 && world.isAtRest)) {
    world.step();
    back.note(fleet.online, world.now);
    if (!all && world.now === options.restartMs) for (const instance of hit) instance.start(world.now);
  }
  return { lost, backAfter: back.after, recorder: world.recorder };
}

/** A socket that was closed is noticed at once, one that is silent when pings are missed. */
function untilKnown({ options, random }: World): () => number {
  const { silent, pingIntervalMs, pingTimeoutMs } = options;
  return () => (silent ? pingTimeoutMs + random.next() * pingIntervalMs : 0);
}

const PARTS = { p50: 0.5, p99: 0.99, p999: 0.999 } as const;

class Progress {
  readonly after: Storm['backAfter'] = { p50: null, p99: null, p999: null };

  constructor(
    private readonly kept: number,
    private readonly lost: number,
  ) {}

  note(online: number, now: number): void {
    for (const [name, part] of Object.entries(PARTS) as [keyof typeof PARTS, number][]) {
      if (this.after[name] === null && online >= this.kept + this.lost * part) this.after[name] = now / 1_000;
    }
  }
}
