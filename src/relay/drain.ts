import { setTimeout as sleep } from 'node:timers/promises';
import { BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Draining } from '../common/draining';
import { RelayBus } from './bus/relay-bus';
import { PresenceReporter } from './gateway/presence-reporter';

/** Longer than any call may take. */
const LIMIT_MS = 35_000;
const POLL_MS = 20;

/** A clean stop: nothing new, what is in flight finishes, then the devices are let go. */
@Injectable()
export class Drain implements BeforeApplicationShutdown {
  constructor(
    private readonly draining: Draining,
    private readonly bus: RelayBus,
    private readonly presence: PresenceReporter,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.draining.start();
    const giveUpAt = performance.now() + LIMIT_MS;
    while (this.bus.pending > 0 && performance.now() < giveUpAt) await sleep(POLL_MS);
    for (const connection of [...this.bus.connections()]) connection.close();
    while (this.hasConnections() && performance.now() < giveUpAt) await sleep(POLL_MS);
    await this.presence.settled();
  }

  private hasConnections(): boolean {
    return !this.bus.connections()[Symbol.iterator]().next().done;
  }
}
