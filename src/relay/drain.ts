import { setTimeout as sleep } from 'node:timers/promises';
import { BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Draining } from '../common/draining';
import { RelayBus } from './bus/relay-bus';
import { PresenceReporter } from './gateway/presence-reporter';

/** The process ends within a minute; what remains is for connections and the database. */
const STOP_WITHIN_MS = 50_000;
/** In which load balancers notice that this instance is not ready. */
const NOTICE_MS = 5_000;
/** Devices are asked to leave one by one, so that they do not all come to the others at once. */
const MS_PER_DEVICE = 10;
const MAX_SPREAD_MS = 15_000;
const LEAVE_WITHIN_MS = 5_000;
const POLL_MS = 20;

/** A clean stop: what this instance has is handed over, what is in flight finishes (relay.md, Drain). */
@Injectable()
export class Drain implements BeforeApplicationShutdown {
  private endBy = Infinity;

  constructor(
    private readonly draining: Draining,
    private readonly bus: RelayBus,
    private readonly presence: PresenceReporter,
  ) {}

  /** @param signal none where the process itself closes the application: then nobody sends it calls any more */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    this.endBy = performance.now() + STOP_WITHIN_MS;
    this.draining.start();
    if (signal && this.bus.isShared) await this.handOver();
    this.draining.close();
    await this.finish();
    await Promise.race([this.presence.settled(), sleep(this.leftMs, undefined, { ref: false })]);
  }

  private get leftMs(): number {
    return Math.max(1_000, this.endBy - performance.now());
  }

  /** Serves on while load balancers and devices turn to the other instances. */
  private async handOver(): Promise<void> {
    const noticed = sleep(NOTICE_MS);
    await this.bus.drain();
    await this.askToLeave();
    await this.until(() => this.bus.connectionCount === 0, LEAVE_WITHIN_MS);
    await noticed;
  }

  private async askToLeave(): Promise<void> {
    const connections = [...this.bus.connections()];
    const spreadMs = Math.min(MAX_SPREAD_MS, connections.length * MS_PER_DEVICE);
    const begunAt = performance.now();
    for (let asked = 0; asked < connections.length; await sleep(POLL_MS)) {
      const due = Math.ceil(((performance.now() - begunAt + POLL_MS) / spreadMs) * connections.length);
      for (const connection of connections.slice(asked, due)) connection.askToLeave(LEAVE_WITHIN_MS);
      asked = due;
    }
  }

  private async finish(): Promise<void> {
    for (const connection of [...this.bus.connections()]) connection.retire();
    await this.until(() => this.bus.pending === 0 && this.bus.connectionCount === 0, this.leftMs);
    for (const connection of [...this.bus.connections()]) connection.close();
    await this.until(() => this.bus.connectionCount === 0, 1_000);
  }

  private async until(done: () => boolean, withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (!done() && performance.now() < giveUpAt) await sleep(POLL_MS);
  }
}
