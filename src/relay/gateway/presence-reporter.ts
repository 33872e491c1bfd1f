import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Turnstile } from '../../common/turnstile';
import { DevicesService } from '../../devices';
import { Instances } from '../../instances';
import { MachinesService } from '../../machines';
import { isDatabaseUnavailable, UnitOfWork } from '../../persistence';
import type { DeviceConnection } from '../bus/device-connection';
import { RelayBus } from '../bus/relay-bus';

/** Of the pool's connections: however many devices come and go at once, calls find one. */
const AT_ONCE = 2;
/** The first wait after a write that failed, doubled up to the longest. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Reports presence for reading to the modules that keep it. Reports of one device follow each other, and epochs order
 * those of several instances, so that a quick reconnect cannot end as offline. What could not be written because the
 * database was away is written later: nothing else would put it right as long as the device stays as it is.
 */
@Injectable()
export class PresenceReporter implements OnApplicationBootstrap {
  private readonly logger = new Logger('Presence');
  private readonly queues = new Map<string, Promise<void>>();
  private readonly turnstile = new Turnstile(AT_ONCE);
  private readonly settling = new AbortController();

  constructor(
    private readonly bus: RelayBus,
    private readonly instances: Instances,
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesService,
    private readonly machines: MachinesService,
  ) {}

  onApplicationBootstrap(): void {
    // Each device whose write waits listens to it.
    setMaxListeners(0, this.settling.signal);
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

  /** Until everything reported so far is written, or has failed once more. */
  async settled(): Promise<void> {
    this.settling.abort();
    await Promise.all(this.queues.values());
  }

  /** A machine that registers while its device is connected, wherever that is. */
  private async catchUp(deviceId: string): Promise<void> {
    const capabilities = await this.devices.onlineCapabilities(deviceId);
    if (capabilities) await this.machines.setOnline(deviceId, capabilities);
  }

  private report(deviceId: string, write: () => Promise<void>, after?: Promise<void>): void {
    const before = this.queues.get(deviceId) ?? Promise.resolve();
    const turn = before.then(() => after).then(() => this.write(deviceId, write));
    this.queues.set(deviceId, turn);
    void turn.then(() => {
      if (this.queues.get(deviceId) === turn) this.queues.delete(deviceId);
    });
  }

  private async write(deviceId: string, write: () => Promise<void>): Promise<void> {
    const { signal } = this.settling;
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
      const isLast = signal.aborted;
      try {
        return await this.turnstile.pass(() => this.unitOfWork.run(write));
      } catch (error) {
        if (waitMs === RETRY_MS) {
          this.logger.warn({ deviceId, reason: (error as Error).message }, 'presence was not written');
        }
        if (isLast || !isDatabaseUnavailable(error)) return;
      }
      await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
