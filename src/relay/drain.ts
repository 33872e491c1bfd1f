import { setTimeout as sleep } from 'node:timers/promises';
import { BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Draining } from '../common/draining';
import { RelayBus } from './bus/relay-bus';
import { PresenceReporter } from './gateway/presence-reporter';

/** In which load balancers notice that this instance is not ready. */
const NOTICE_MS = 5_000;
/** Devices are asked to leave one by one, so that they do not all come to the others at once. */
const MS_PER_DEVICE = 10;
const MAX_SPREAD_MS = 20_000;
const LEAVE_WITHIN_MS = 5_000;
/** Longer than any call may take. */
const LIMIT_MS = 32_000;
const POLL_MS = 20;

/** A clean stop: what this instance has is handed over, what is in flight finishes (relay.md, Drain). */
@Injectable()
export class Drain implements BeforeApplicationShutdown {
  constructor(
    private readonly draining: Draining,
    private readonly bus: RelayBus,
    private readonly presence: PresenceReporter,
  ) {}

  /** @param signal none where the process itself closes the application: then nobody sends it calls any more */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    this.draining.start();
    if (signal && this.bus.isShared) await this.handOver();
    this.draining.close();
    await this.finish();
    await this.presence.settled();
  }

  /** Serves on while load balancers and devices turn to the other instances. */
  private async handOver(): Promise<void> {
    await this.bus.drain();
    const noticed = sleep(NOTICE_MS);
    const count = this.bus.connectionCount;
    const spreadMs = Math.min(MAX_SPREAD_MS, count * MS_PER_DEVICE);
    for (const connection of [...this.bus.connections()]) {
      connection.askToLeave(LEAVE_WITHIN_MS);
      await sleep(spreadMs / count);
    }
    await this.until(() => this.bus.connectionCount === 0, LEAVE_WITHIN_MS);
    await noticed;
  }

  private async finish(): Promise<void> {
    for (const connection of [...this.bus.connections()]) connection.retire();
    await this.until(() => this.bus.pending === 0 && this.bus.connectionCount === 0, LIMIT_MS);
    for (const connection of [...this.bus.connections()]) connection.close();
    await this.until(() => this.bus.connectionCount === 0, 1_000);
  }

  private async until(done: () => boolean, withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (!done() && performance.now() < giveUpAt) await sleep(POLL_MS);
  }
}
