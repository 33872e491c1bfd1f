import { backoffMs } from './backoff';
import type { Balancer } from './balancer';
import { CONNECTING, Fleet, NOWHERE, RESTING, WAITING } from './fleet';
import type { Instance } from './instance';
import { JobQueue } from './job-queue';
import type { Options } from './options';
import type { Random } from './random';
import type { Recorder } from './recorder';
import { TimerWheel } from './timer-wheel';

/** Where a socket that the balancer hands over is taken in. */
export type Accept = (instance: Instance, device: number, serial: number) => void;

/** The devices' side: when they try, how long they wait, when they give up (src/reference-device/machine). */
export class Clients {
  readonly fleet: Fleet;
  private readonly timers: TimerWheel;
  /** Attempts that the balancer hands to another instance, and when. */
  private readonly handedOn = new JobQueue();

  constructor(
    private readonly options: Options,
    private readonly random: Random,
    private readonly balancer: Balancer,
    private readonly instances: readonly Instance[],
    private readonly recorder: Recorder,
    private readonly accept: Accept,
  ) {
    const { devices, tickMs, helloWithinMs, pingIntervalMs, pingTimeoutMs } = options;
    const longestWait = options.maxBackoffMs + options.spreadFirstMs + pingIntervalMs + pingTimeoutMs;
    this.fleet = new Fleet(devices);
    this.timers = new TimerWheel(devices, Math.ceil(Math.max(longestWait, helloWithinMs) / tickMs) + 1);
  }

  step(now: number): void {
    this.handOn(now);
    this.timers.advance((device) => this.onTimer(device, now));
  }

  /** The device has no connection any more. @param afterMs until it knows */
  lose(device: number, now: number, afterMs = 0): void {
    const { fleet, options } = this;
    if (fleet.home[device] === NOWHERE) return;
    fleet.home[device] = NOWHERE;
    fleet.online -= 1;
    fleet.offlineSince[device] = now;
    this.begin(device, now, afterMs + this.random.next() * options.spreadFirstMs);
  }

  /** Told to connect elsewhere: it does so before it leaves. */
  move(device: number, now: number): void {
    this.begin(device, now, 0);
  }

  /** Every attempt that goes there. */
  failAll(instance: Instance): void {
    const { fleet } = this;
    for (let device = 0; device < fleet.size; device++) {
      if (fleet.phase[device] === CONNECTING && fleet.target[device] === instance.index) this.fail(device);
    }
  }

  wants(device: number, serial: number): boolean {
    return this.fleet.wants(device, serial);
  }

  refuse(device: number, serial: number): void {
    if (!this.wants(device, serial)) return;
    this.recorder.current.refused += 1;
    this.fail(device);
  }

  /** It was said hello to. @returns the instance that held it before */
  greet(device: number, instance: Instance, now: number): number {
    const { fleet } = this;
    const previous = fleet.home[device]!;
    if (previous === NOWHERE) {
      fleet.online += 1;
      this.recorder.offlineMs += now - fleet.offlineSince[device]!;
    }
    const { current } = this.recorder;
    current.helloMs = Math.max(current.helloMs, now - fleet.attemptedAt[device]!);
    this.timers.end(device);
    fleet.home[device] = instance.index;
    fleet.target[device] = NOWHERE;
    fleet.phase[device] = RESTING;
    fleet.connectedAt[device] = now;
    fleet.connects[device] = Math.min(255, fleet.connects[device]! + 1);
    return previous;
  }

  /** One that tries already goes on with that. */
  private begin(device: number, now: number, furtherMs: number): void {
    const { fleet } = this;
    if (fleet.phase[device] !== RESTING) return;
    if (now - fleet.connectedAt[device]! >= this.options.stableMs) fleet.attempts[device] = 0;
    this.wait(device, furtherMs);
  }

  private wait(device: number, furtherMs: number): void {
    const { fleet, options } = this;
    const ms = furtherMs + backoffMs(fleet.attempts[device]!, options, this.random);
    fleet.attempts[device] = Math.min(30, fleet.attempts[device]! + 1);
    fleet.phase[device] = WAITING;
    this.timers.set(device, ms / options.tickMs);
  }

  private onTimer(device: number, now: number): void {
    if (this.fleet.phase[device] === WAITING) return this.connect(device, now);
    this.recorder.current.timeouts += 1;
    this.fail(device);
  }

  private connect(device: number, now: number): void {
    const { fleet, options } = this;
    const serial = (fleet.serial[device]! + 1) & 0xffff;
    fleet.serial[device] = serial;
    fleet.phase[device] = CONNECTING;
    fleet.attemptedAt[device] = now;
    this.recorder.current.attempts += 1;
    this.timers.set(device, options.helloWithinMs / options.tickMs);
    this.dispatch(device, serial, options.balancerRetries, now);
  }

  private dispatch(device: number, serial: number, triesLeft: number, now: number): void {
    const index = this.balancer.choose(now);
    if (index === NOWHERE) return this.fail(device);
    const instance = this.instances[index]!;
    if (instance.unaccepted >= this.options.backlog) {
      this.handedOn.push(device, serial * 8 + triesLeft, now + this.options.balancerConnectMs);
      return;
    }
    this.fleet.target[device] = index;
    instance.connections += 1;
    this.recorder.perInstance[index]! += 1;
    this.accept(instance, device, serial);
  }

  private handOn(now: number): void {
    const { handedOn } = this;
    while (handedOn.peek() && handedOn.c <= now) {
      handedOn.take();
      const { a: device, b } = handedOn;
      const [serial, triesLeft] = [b >> 3, b & 7];
      if (!this.wants(device, serial)) continue;
      if (triesLeft === 0) {
        this.recorder.current.turnedAway += 1;
        this.fail(device);
      } else this.dispatch(device, serial, triesLeft - 1, now);
    }
  }

  /** Of the device's attempt: it waits, and longer than before. */
  private fail(device: number): void {
    const { fleet } = this;
    const target = fleet.target[device]!;
    if (target !== NOWHERE && this.instances[target]!.isUp) this.instances[target]!.connections -= 1;
    fleet.target[device] = NOWHERE;
    this.wait(device, 0);
  }
}
