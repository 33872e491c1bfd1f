import { JobQueue } from './job-queue';

/** What an instance's event loop has to do, in the order in which it came. */
export const ACCEPT = 0;
export const FINISH = 1;
export const DISCONNECT = 2;

/** One process of the service: an event loop on a core, and a pool of connections to PostgreSQL. */
export class Instance {
  readonly loop = new JobQueue();
  readonly pool = new JobQueue();
  readonly gate = new JobQueue();
  /** Presence that waits for its turn to be written. */
  readonly presence = new JobQueue();
  writing = 0;
  /** Handshakes inside the gate. */
  inside = 0;
  /** Connections of the pool in use. */
  inUse = 0;
  /** ACCEPT jobs in the loop. */
  unaccepted = 0;
  /** µs of its core that are left in this tick; less than nothing where a job takes longer. */
  budget = 0;
  /** Connections and attempts, as a balancer counts them. */
  connections = 0;
  isUp = true;
  isDraining = false;
  /** ms; when it was last started. */
  startedAt = -Infinity;
  /** What it still has at work ends with it: its successor has another number. */
  boot = 0;

  constructor(readonly index: number) {}

  end(): void {
    this.isUp = false;
    this.boot += 1;
    this.inside = this.inUse = this.writing = this.unaccepted = this.budget = 0;
    for (const queue of [this.loop, this.pool, this.gate, this.presence]) queue.clear();
  }

  start(now: number): void {
    this.isUp = true;
    this.startedAt = now;
    this.isDraining = false;
    this.connections = 0;
  }
}
