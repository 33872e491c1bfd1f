import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DevicesService } from '../../devices';
import { Instances } from '../../instances';
import { MachinesService } from '../../machines';
import { UnitOfWork } from '../../persistence';
import type { DeviceConnection } from '../bus/device-connection';
import { RelayBus } from '../bus/relay-bus';

/**
 * Reports presence for reading to the modules that keep it. Reports of one device follow each other, and epochs order
 * those of several instances, so that a quick reconnect cannot end as offline.
 */
@Injectable()
export class PresenceReporter implements OnApplicationBootstrap {
  private readonly logger = new Logger('Presence');
  private readonly queues = new Map<string, Promise<void>>();

  constructor(
    private readonly bus: RelayBus,
    private readonly instances: Instances,
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesService,
    private readonly machines: MachinesService,
  ) {}

  onApplicationBootstrap(): void {
    this.machines.registered.subscribe(({ deviceId }) => this.report(deviceId, () => this.catchUp(deviceId)));
    this.instances.revived.subscribe(() => {
      for (const connection of this.bus.connections()) this.connected(connection);
      void this.bus.reassert();
    });
  }

  connected({ device, epoch, capabilities }: DeviceConnection): void {
    const presence = { instance: this.instances.self, epoch, capabilities };
    this.report(device.deviceId, async () => {
      const noted = await this.devices.setOnline(device.deviceId, presence);
      if (noted) await this.machines.setOnline(device.deviceId, capabilities);
    });
  }

  /** @param detached is waited for, so that `settled` covers it */
  disconnected({ device, epoch }: DeviceConnection, detached: Promise<void>): void {
    this.report(
      device.deviceId,
      async () => {
        const noted = await this.devices.setOffline(device.deviceId, epoch);
        if (noted) await this.machines.setOffline([device.deviceId]);
      },
      detached,
    );
  }

  /** Until everything reported so far is written. */
  async settled(): Promise<void> {
    await Promise.all(this.queues.values());
  }

  /** A machine that registers while its device is connected, wherever that is. */
  private async catchUp(deviceId: string): Promise<void> {
    const capabilities = await this.devices.onlineCapabilities(deviceId);
    if (capabilities) await this.machines.setOnline(deviceId, capabilities);
  }

  private report(deviceId: string, write: () => Promise<void>, after?: Promise<void>): void {
    const before = this.queues.get(deviceId) ?? Promise.resolve();
    const turn = before
      .then(() => after)
      .then(() => this.unitOfWork.run(write))
      .catch((error: Error) => {
        this.logger.warn({ deviceId, reason: error.message }, 'presence was not written');
      });
    this.queues.set(deviceId, turn);
    void turn.then(() => {
      if (this.queues.get(deviceId) === turn) this.queues.delete(deviceId);
    });
  }
}
