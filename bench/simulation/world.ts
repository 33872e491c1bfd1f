import { Balancer } from './balancer';
import { Clients } from './clients';
import type { Costs } from './costs';
import { RESTING } from './fleet';
import { Instance } from './instance';
import type { Options } from './options';
import { Random } from './random';
import { Recorder } from './recorder';
import { Service } from './service';

/** Devices, a balancer and the service, moved on in steps of a tick. */
export class World {
  /** ms since it began. */
  now = 0;
  readonly instances: Instance[];
  readonly recorder: Recorder;
  readonly balancer: Balancer;
  readonly clients: Clients;
  readonly service: Service;
  readonly random: Random;

  constructor(
    readonly options: Options,
    costs: Costs,
  ) {
    const { instances, seed } = options;
    this.random = new Random(seed);
    this.instances = Array.from({ length: instances }, (_, index) => new Instance(index));
    this.recorder = new Recorder(instances);
    this.balancer = new Balancer(this.instances, this.random, options);
    this.service = new Service(options, costs, this.instances, this.recorder, () => this.clients);
    this.clients = new Clients(
      options,
      this.random,
      this.balancer,
      this.instances,
      this.recorder,
      (instance, device, serial) => this.service.accept(instance, device, serial),
    );
    this.settle();
  }

  step(): void {
    const { tickMs } = this.options;
    this.now += tickMs;
    this.clients.step(this.now);
    this.service.step(this.now);
    if (this.now % 1_000 < tickMs) this.recorder.endSecond(this.clients.fleet.online);
  }

  /** Every device is connected, and none about to move. */
  get isAtRest(): boolean {
    const { fleet } = this.clients;
    return fleet.online === fleet.size && fleet.phase.every((phase) => phase === RESTING);
  }

  /** An instance ends at once, with what is under way there. @param knowAfter ms until a device knows of it */
  kill(instance: Instance, knowAfter: () => number): void {
    instance.end();
    this.clients.failAll(instance);
    this.forHomeOf(instance, (device) => this.clients.lose(device, this.now, knowAfter()));
  }

  /** Every socket of the instance is cut, and it lives. */
  cut(instance: Instance, knowAfter: () => number): void {
    this.forHomeOf(instance, (device) => {
      this.clients.lose(device, this.now, knowAfter());
      this.service.disconnected(instance, device);
    });
  }

  forHomeOf(instance: Instance, act: (device: number) => void): void {
    const { home, size } = this.clients.fleet;
    for (let device = 0; device < size; device++) if (home[device] === instance.index) act(device);
  }

  private settle(): void {
    const { fleet } = this.clients;
    for (let device = 0; device < fleet.size; device++) {
      fleet.home[device] = device % this.instances.length;
      this.instances[device % this.instances.length]!.connections += 1;
    }
    fleet.online = fleet.size;
  }
}
