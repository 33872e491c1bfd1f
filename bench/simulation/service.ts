import type { Clients } from './clients';
import { LOOK_UP_STATEMENTS, PRESENCE_STATEMENTS, type Costs } from './costs';
import { NOWHERE } from './fleet';
import { ACCEPT, DISCONNECT, FINISH, type Instance } from './instance';
import { JobQueue } from './job-queue';
import type { Options } from './options';
import type { Recorder } from './recorder';
import { SharedServer } from './shared-server';

/** Jobs for PostgreSQL. */
const LOOK_UP = 0;
const ONLINE = 1;
const OFFLINE = 2;
/** Commands for Redis. */
const ASSERT = 0;
const OTHER = 1;
/** More than there are instances: `boot * BOOTS + index` names a process. */
const BOOTS = 1_024;

/** The service's side: event loops, pools, PostgreSQL and Redis (src/relay/gateway). */
export class Service {
  private readonly postgres: SharedServer;
  private readonly redis: SharedServer;
  /** Presence that is to be written again, and when. */
  private readonly unwritten = new JobQueue();
  /** Handshakes that wait for Redis, and until when. */
  private readonly asserting = new JobQueue();
  private now = 0;

  constructor(
    private readonly options: Options,
    private readonly costs: Costs,
    private readonly instances: readonly Instance[],
    private readonly recorder: Recorder,
    private readonly clients: () => Clients,
  ) {
    const { postgresCores, load } = options;
    const { lookUps, presence, command } = costs;
    this.postgres = new SharedServer(postgresCores * (1 - load), [lookUps, presence, presence]);
    this.redis = new SharedServer(1 - load, [command, command]);
  }

  step(now: number): void {
    const { tickMs, load } = this.options;
    this.now = now;
    this.writeAgain();
    this.goOnWithoutRedis();
    for (const instance of this.instances) {
      if (instance.isUp) this.runLoop(instance, tickMs * 1_000 * (1 - load));
    }
    this.postgres.run(tickMs, (device, serial, kind, from) => this.onRows(device, serial, kind, from));
    this.redis.run(tickMs, (device, serial, kind, from) => this.onCommand(device, serial, kind, from));
  }

  accept(instance: Instance, device: number, serial: number): void {
    instance.unaccepted += 1;
    instance.loop.push(device, ACCEPT, serial);
  }

  /** The end of a socket, as the instance that held it finds it. */
  disconnected(instance: Instance, device: number): void {
    instance.connections -= 1;
    if (instance.isUp) instance.loop.push(device, DISCONNECT, 0);
  }

  private runLoop(instance: Instance, us: number): void {
    const { loop } = instance;
    instance.budget = Math.min(instance.budget, 0) + us;
    while (instance.budget > 0 && loop.take()) {
      const { a: device, b: kind, c: serial } = loop;
      if (kind === ACCEPT) this.onAccepted(instance, device, serial);
      else if (kind === FINISH) this.onFinished(instance, device, serial);
      else this.onDisconnected(instance, device);
    }
    this.usePool(instance);
  }

  private onAccepted(instance: Instance, device: number, serial: number): void {
    instance.unaccepted -= 1;
    instance.budget -= this.costs.accept;
    if (instance.isDraining) return this.clients().refuse(device, serial);
    const { gate, gateQueue } = this.options;
    if (gate === 0 || instance.inside < gate) this.lookUp(instance, device, serial);
    else if (instance.gate.size < gateQueue) instance.gate.push(device, serial, 0);
    else this.clients().refuse(device, serial);
  }

  private lookUp(instance: Instance, device: number, serial: number): void {
    instance.inside += 1;
    if (!this.clients().wants(device, serial)) this.recorder.wasted += 1;
    instance.pool.push(device, serial * 4 + LOOK_UP, this.now);
  }

  private leaveGate(instance: Instance): void {
    instance.inside -= 1;
    const { gate } = instance;
    while (instance.inside < this.options.gate && gate.take()) {
      // Whoever hung up while it waited costs nothing more.
      if (this.clients().wants(gate.a, gate.b)) this.lookUp(instance, gate.a, gate.b);
    }
  }

  private usePool(instance: Instance): void {
    const { pool } = instance;
    const { poolSize, poolWaitMs } = this.options;
    while (pool.peek()) {
      const { a: device, b, c: since } = pool;
      const { current } = this.recorder;
      current.poolWaitMs = Math.max(current.poolWaitMs, this.now - since);
      const tooLate = this.now - since > poolWaitMs;
      if (!tooLate && instance.inUse >= poolSize) return;
      pool.take();
      if (tooLate) this.onNoConnection(instance, device, b >> 2, b & 3);
      else {
        instance.inUse += 1;
        this.postgres.send(device, b >> 2, b & 3, nameOf(instance));
      }
    }
  }

  private onNoConnection(instance: Instance, device: number, serial: number, kind: number): void {
    if (kind === LOOK_UP) {
      this.leaveGate(instance);
      return this.clients().refuse(device, serial);
    }
    this.wrote(instance);
    this.recorder.unwritten += 1;
    const { presenceRetryMs } = this.options;
    if (presenceRetryMs > 0) this.unwritten.push(device, instance.index * 4 + kind, this.now + presenceRetryMs);
  }

  private write(instance: Instance, device: number, kind: number): void {
    const { presenceAtOnce } = this.options;
    if (presenceAtOnce > 0 && instance.writing >= presenceAtOnce) instance.presence.push(device, kind, 0);
    else {
      instance.writing += 1;
      instance.pool.push(device, kind, this.now);
    }
  }

  private wrote(instance: Instance): void {
    instance.writing -= 1;
    const { presence } = instance;
    if (presence.take()) this.write(instance, presence.a, presence.b);
  }

  private writeAgain(): void {
    const { unwritten } = this;
    while (unwritten.peek() && unwritten.c <= this.now) {
      unwritten.take();
      this.write(this.instances[unwritten.b >> 2]!, unwritten.a, unwritten.b & 3);
    }
  }

  private onRows(device: number, serial: number, kind: number, from: number): void {
    this.recorder.current.statements += kind === LOOK_UP ? LOOK_UP_STATEMENTS : PRESENCE_STATEMENTS;
    const instance = this.process(from);
    if (!instance) return;
    instance.inUse -= 1;
    if (kind === LOOK_UP) {
      this.leaveGate(instance);
      this.redis.send(device, serial, ASSERT, from);
      this.asserting.push(device, serial, from, this.now + this.options.commandMs);
    } else {
      this.wrote(instance);
      this.onPresence(device, kind, from);
    }
  }

  /** Written; where it turned, the account's other devices are told (a change hint). */
  private onPresence(device: number, kind: number, from: number): void {
    const { readsOffline, home } = this.clients().fleet;
    const offline = kind === OFFLINE && home[device] === NOWHERE ? 1 : 0;
    if (readsOffline[device] === offline) return;
    readsOffline[device] = offline;
    this.redis.send(device, 0, OTHER, from);
  }

  private onCommand(device: number, serial: number, kind: number, from: number): void {
    this.recorder.current.redisCommands += 1;
    if (kind === ASSERT) this.onAsserted(device, serial, from);
  }

  /** @returns whether it was not already */
  private onAsserted(device: number, serial: number, from: number): boolean {
    const { asserted } = this.clients().fleet;
    if (asserted[device] === serial) return false;
    asserted[device] = serial;
    this.process(from)?.loop.push(device, FINISH, serial);
    return true;
  }

  /** The command stays on its way to Redis. */
  private goOnWithoutRedis(): void {
    const { asserting } = this;
    while (asserting.peek() && asserting.d <= this.now) {
      asserting.take();
      if (this.onAsserted(asserting.a, asserting.b, asserting.c)) this.recorder.unrouted += 1;
    }
  }

  private onFinished(instance: Instance, device: number, serial: number): void {
    instance.budget -= this.costs.finish;
    if (!this.clients().wants(device, serial)) return;
    this.recorder.current.hellos += 1;
    const previous = this.clients().greet(device, instance, this.now);
    if (previous !== NOWHERE) this.disconnected(this.instances[previous]!, device);
    this.write(instance, device, ONLINE);
  }

  private onDisconnected(instance: Instance, device: number): void {
    instance.budget -= this.costs.disconnect;
    this.redis.send(device, 0, OTHER, nameOf(instance));
    this.write(instance, device, OFFLINE);
  }

  /** Unless it has ended meanwhile. */
  private process(name: number): Instance | undefined {
    const instance = this.instances[name % BOOTS];
    return instance && nameOf(instance) === name ? instance : undefined;
  }
}

function nameOf({ boot, index }: Instance): number {
  return boot * BOOTS + index;
}
