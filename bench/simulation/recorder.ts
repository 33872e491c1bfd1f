/** What happened in each second. */
export interface Second {
  online: number;
  attempts: number;
  /** Handshakes that reached one instance, the busiest. */
  busiest: number;
  hellos: number;
  statements: number;
  redisCommands: number;
  /** Attempts that were given up by their device. */
  timeouts: number;
  /** Attempts that were refused: no connection of the pool in time, or the gate. */
  refused: number;
  /** Attempts that the balancer ended, no instance having accepted them in time. */
  turnedAway: number;
  /** The longest wait for a connection of a pool, in ms: what calls wait too. */
  poolWaitMs: number;
  /** The longest that a device waited for its hello, in ms. */
  helloMs: number;
}

export const nothing = (): Second => ({
  online: 0,
  attempts: 0,
  busiest: 0,
  hellos: 0,
  statements: 0,
  redisCommands: 0,
  timeouts: 0,
  refused: 0,
  turnedAway: 0,
  poolWaitMs: 0,
  helloMs: 0,
});

/** Adds up by the second, and in all. */
export class Recorder {
  readonly seconds: Second[] = [];
  current = nothing();
  readonly perInstance: Int32Array;
  /** Look-ups for devices that had gone away. */
  wasted = 0;
  /** Presence that PostgreSQL was never told of, or late. */
  unwritten = 0;
  /** Devices that were said hello to before Redis knew of them. */
  unrouted = 0;
  /** ms that devices were without a connection. */
  offlineMs = 0;

  constructor(instances: number) {
    this.perInstance = new Int32Array(instances);
  }

  endSecond(online: number): void {
    this.current.online = online;
    this.current.busiest = this.perInstance.reduce((most, each) => Math.max(most, each), 0);
    this.perInstance.fill(0);
    this.seconds.push(this.current);
    this.current = nothing();
  }

  peak(figure: keyof Second): number {
    return this.seconds.reduce((most, second) => Math.max(most, second[figure]), 0);
  }

  sum(figure: keyof Second): number {
    return this.seconds.reduce((sum, second) => sum + second[figure], 0);
  }
}
