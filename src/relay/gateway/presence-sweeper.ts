import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DevicesService } from '../../devices';
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
    this.timer = setInterval(() => {
      this.sweep().catch((error: Error) => {
        this.logger.warn({ reason: error.message }, 'dead instances were not swept');
      });
    }, SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** In one transaction: whoever reaps an instance also ends what it held, or nothing happened. */
  private async sweep(): Promise<void> {
    const ended = await this.unitOfWork.run(async () => {
      const dead = await this.instances.reap();
      const devices = await this.devices.endPresence(dead);
      if (devices.length > 0) await this.machines.setOffline(devices.map(({ deviceId }) => deviceId));
      return devices;
    });
    await this.bus.forget(ended);
  }
}
