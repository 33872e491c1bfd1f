import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DevicesService, type EndedPresence } from '../../devices';
import { Instances } from '../../instances';
import { MachinesService } from '../../machines';
import { UnitOfWork } from '../../persistence';
import { RelayBus } from '../bus/relay-bus';

const SWEEP_MS = 5_000;

/** Ends the presence that dead instances left behind, theirs and that of an earlier start. */
@Injectable()
export class PresenceSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Presence');
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: RelayBus,
    private readonly instances: Instances,
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesService,
    private readonly machines: MachinesService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.sweep();
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      await this.bus.forget(await this.end());
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'dead instances were not swept');
    }
  }

  /** In one transaction: whoever reaps an instance also ends what it held, or nothing happened. */
  private end(): Promise<EndedPresence[]> {
    return this.unitOfWork.run(async () => {
      const dead = await this.instances.reap();
      const devices = await this.devices.endPresence(dead);
      if (devices.length > 0) await this.machines.setOffline(devices.map(({ deviceId }) => deviceId));
      return devices;
    });
  }
}
