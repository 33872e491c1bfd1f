import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DeviceConnection } from '../device-connection';
import type { LocalPresence } from '../local-presence';
import type { SharedPresence } from './shared-presence';

const BATCH = 200;
const PAUSE_MS = 10;
const RETRY_MS = 1_000;

/** Keeps the shared presence in step with the connections of this instance, Redis being away at times. */
export class Assertions {
  private readonly logger = new Logger('RelayBus');
  /** Connections of which Redis does not know yet. */
  private readonly missing = new Set<DeviceConnection>();
  private asserting: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly presence: SharedPresence,
    private readonly devices: LocalPresence,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.assertMissing(), RETRY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async add(connection: DeviceConnection): Promise<void> {
    this.missing.add(connection);
    await this.assert(connection);
  }

  /** A stale entry that stays for want of Redis goes when it leads a call here. */
  async remove(connection: DeviceConnection): Promise<void> {
    this.missing.delete(connection);
    const { accountId, deviceId } = connection.device;
    await this.presence.withdraw(accountId, deviceId, connection.epoch).catch((error: Error) => {
      this.logger.debug({ deviceId, reason: error.message }, 'presence was not withdrawn');
    });
  }

  /** After Redis may have forgotten, or restored, anything; also while the last time is not through. */
  renewAll(): Promise<void> {
    for (const connection of this.devices.connections()) this.missing.add(connection);
    return this.assertMissing();
  }

  private assertMissing(): Promise<void> {
    this.asserting ??= this.assertAll([...this.missing]).finally(() => (this.asserting = null));
    return this.asserting;
  }

  /** Paced, so that calls pass between batches. */
  private async assertAll(connections: DeviceConnection[]): Promise<void> {
    for (let i = 0; i < connections.length; i += BATCH) {
      await Promise.all(connections.slice(i, i + BATCH).map((each) => this.assert(each)));
      await sleep(PAUSE_MS);
    }
  }

  private async assert(connection: DeviceConnection): Promise<void> {
    if (!connection.isCurrent) return void this.missing.delete(connection);
    try {
      const stands = await this.presence.assert(connection);
      this.missing.delete(connection);
      if (!stands) connection.retire();
    } catch (error) {
      this.missing.add(connection);
      this.logger.debug({ reason: (error as Error).message }, 'presence was not asserted');
    }
  }
}
