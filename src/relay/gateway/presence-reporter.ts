import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DevicesService } from '../../devices';
import { MachinesService } from '../../machines';
import { RelayBus } from '../bus/relay-bus';

/**
 * Reports presence for reading to the modules that keep it. Reports of one device follow each other, and each
 * writes what holds when its turn comes, so that a quick reconnect cannot end as offline.
 */
@Injectable()
export class PresenceReporter implements OnApplicationBootstrap {
  private readonly logger = new Logger('Presence');
  private readonly queues = new Map<string, Promise<void>>();

  constructor(
    private readonly bus: RelayBus,
    private readonly devices: DevicesService,
    private readonly machines: MachinesService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.devices.setAllOffline();
    await this.machines.setAllOffline();
    this.machines.registered.subscribe(({ accountId, deviceId }) => {
      if (this.bus.find(accountId, deviceId)) this.report(accountId, deviceId);
    });
  }

  /** @param after what has to happen before it is written; it is waited for, so that `settled` covers it */
  report(accountId: string, deviceId: string, after: Promise<void> = Promise.resolve()): void {
    const before = this.queues.get(deviceId) ?? Promise.resolve();
    const turn = before.then(() => this.write(accountId, deviceId, after));
    this.queues.set(deviceId, turn);
    void turn.then(() => {
      if (this.queues.get(deviceId) === turn) this.queues.delete(deviceId);
    });
  }

  /** Until everything reported so far is written. */
  async settled(): Promise<void> {
    await Promise.all(this.queues.values());
  }

  private async write(accountId: string, deviceId: string, after: Promise<void>): Promise<void> {
    try {
      await after;
      const connection = this.bus.find(accountId, deviceId);
      await this.devices.setPresence(deviceId, connection !== undefined);
      if (connection) await this.machines.setOnline(deviceId, connection.capabilities);
      else await this.machines.setOffline(deviceId);
    } catch (error) {
      this.logger.warn({ deviceId, reason: (error as Error).message }, 'presence was not written');
    }
  }
}
