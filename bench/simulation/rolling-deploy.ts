import type { Costs } from './costs';
import type { Instance } from './instance';
import type { Options } from './options';
import type { Recorder } from './recorder';
import { World } from './world';

export interface Deploy {
  seconds: number;
  connectsPerDevice: number;
  mostConnects: number;
  /** Seconds without a connection, of all devices together. */
  offlineSeconds: number;
  /** Devices whose old connection was closed before the new one stood. */
  cut: number;
  recorder: Recorder;
}

/** Every instance drains, ends and is replaced, a batch at a time (src/relay/drain.ts). */
export function rollingDeploy(options: Options, costs: Costs): Deploy {
  const world = new World(options, costs);
  const waiting = [...world.instances];
  const { fleet } = world.clients;
  let under: Replacement[] = [];
  let cut = 0;
  while (world.now < options.maxSeconds * 1_000) {
    if (under.length === 0) under = waiting.splice(0, options.batch).map((each) => new Replacement(world, each));
    if (under.length === 0) break;
    world.step();
    for (const each of under) each.step();
    const ended = under.filter((each) => each.isOver);
    cut += ended.reduce((sum, each) => sum + each.cut, 0);
    under = under.filter((each) => !each.isOver);
  }
  const seconds = world.now / 1_000;
  while (world.now < options.maxSeconds * 1_000 && !world.isAtRest) for (let n = 0; n < 200; n++) world.step();
  const connects = fleet.connects.reduce((sum, each) => sum + each, 0);
  return {
    seconds,
    connectsPerDevice: connects / fleet.size,
    mostConnects: fleet.connects.reduce((most, each) => Math.max(most, each), 0),
    offlineSeconds: world.recorder.offlineMs / 1_000,
    cut,
    recorder: world.recorder,
  };
}

/** One instance from SIGTERM to the readiness of its successor. */
class Replacement {
  cut = 0;
  private readonly devices: number[] = [];
  private readonly begunAt: number;
  private readonly spreadMs: number;
  private asked = 0;
  private endedAt = Infinity;

  constructor(
    private readonly world: World,
    private readonly instance: Instance,
  ) {
    const { drainMsPerDevice, drainSpreadMs } = world.options;
    this.begunAt = world.now;
    world.forHomeOf(instance, (device) => this.devices.push(device));
    this.spreadMs = Math.min(drainSpreadMs, this.devices.length * drainMsPerDevice);
    instance.isDraining = true;
  }

  get isOver(): boolean {
    return this.world.now >= this.endedAt + this.world.options.bootMs;
  }

  step(): void {
    if (this.endedAt < Infinity) return this.boot();
    const passed = this.world.now - this.begunAt;
    if (passed >= this.world.options.balancerCheckMs) this.world.balancer.hide(this.instance);
    this.askToLeave(passed);
    if (this.mayEnd(passed)) this.end();
  }

  private askToLeave(passed: number): void {
    const due = Math.min(1, passed / Math.max(1, this.spreadMs)) * this.devices.length;
    const { clients, now } = this.world;
    for (; this.asked < due; this.asked++) {
      const device = this.devices[this.asked]!;
      if (clients.fleet.home[device] === this.instance.index) clients.move(device, now);
    }
  }

  private mayEnd(passed: number): boolean {
    const { drainNoticeMs, leaveWithinMs } = this.world.options;
    if (passed < drainNoticeMs || passed < this.spreadMs) return false;
    return passed >= this.spreadMs + leaveWithinMs || this.isEmpty;
  }

  private get isEmpty(): boolean {
    const { home } = this.world.clients.fleet;
    return this.devices.every((device) => home[device] !== this.instance.index);
  }

  private end(): void {
    const { world, instance } = this;
    world.forHomeOf(instance, () => (this.cut += 1));
    world.kill(instance, () => 0);
    this.endedAt = world.now;
  }

  private boot(): void {
    if (!this.isOver) return;
    this.instance.start(this.world.now);
    this.world.balancer.show(this.instance);
  }
}
