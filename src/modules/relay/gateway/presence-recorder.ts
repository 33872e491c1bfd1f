import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ConcurrencyLimiter } from '../../../common/concurrency-limiter';
import { DevicesService } from '../../devices';
import { InstanceRegistry } from '../../../core/instances';
import { MachinesService } from '../../machines';
import { Config } from '../../../core/config';
import { getConnectionShare, isDatabaseUnavailable, UnitOfWork } from '../../../core/database';
import type { DeviceConnection } from '../bus/device-connection';
import { RelayBus } from '../bus/relay-bus';
import { RelayCluster } from '../bus/relay-cluster';

/** Share of the database connections for presence writes, so that calls get one however many devices reconnect. */
const CONNECTION_SHARE = 0.1;
/** Delay after the first failed write. It doubles up to the maximum. */
const INITIAL_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 30_000;

/**
 * Writes the presence of devices and machines to the database, for readers. Writes of one device run in sequence, and
 * epochs order those of several instances, so that a quick reconnect cannot end as offline. Writes that fail because
 * the database is unavailable are retried: no later write corrects them while the device's state does not change.
 */
@Injectable()
export class PresenceRecorder implements OnApplicationBootstrap {
  private readonly logger = new Logger('Presence');
  private readonly writeQueues = new Map<string, Promise<void>>();
  private readonly concurrencyLimiter: ConcurrencyLimiter;
  private readonly flushController = new AbortController();

  constructor(
    private readonly bus: RelayBus,
    @Inject(RelayCluster) private readonly cluster: RelayCluster | null,
    private readonly instanceRegistry: InstanceRegistry,
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesService,
    private readonly machines: MachinesService,
    config: Config,
  ) {
    this.concurrencyLimiter = new ConcurrencyLimiter(getConnectionShare(config, CONNECTION_SHARE));
  }

  onApplicationBootstrap(): void {
    // Every delayed write adds a listener.
    setMaxListeners(0, this.flushController.signal);
    this.machines.registrations.subscribe(({ deviceId }) =>
      this.enqueueWrite(deviceId, () => this.recordMachineCapabilities(deviceId)),
    );
    this.instanceRegistry.recovered.subscribe(() => {
      for (const connection of this.bus.listConnections()) this.recordConnected(connection);
      this.cluster?.republishPresence();
    });
  }

  recordConnected({ device, epoch, capabilities }: DeviceConnection): void {
    const presence = { instance: this.instanceRegistry.ownInstanceId, epoch, capabilities };
    this.enqueueWrite(device.deviceId, async () => {
      const isRecorded = await this.devices.setOnline(device.deviceId, presence);
      if (isRecorded) await this.machines.setOnline(device.deviceId, capabilities);
    });
  }

  /** @param detachment awaited before the write, so that `flushWrites` covers it */
  recordDisconnected({ device, epoch }: DeviceConnection, detachment: Promise<void>): void {
    this.enqueueWrite(
      device.deviceId,
      async () => {
        const isRecorded = await this.devices.setOffline(device.deviceId, epoch);
        if (isRecorded) await this.machines.setOffline([device.deviceId]);
      },
      detachment,
    );
  }

  /** Resolves when all recorded changes are written or their last attempt has failed. */
  async flushWrites(): Promise<void> {
    this.flushController.abort();
    await Promise.all(this.writeQueues.values());
  }

  /** Sets a machine online that registers while its device is connected to any instance. */
  private async recordMachineCapabilities(deviceId: string): Promise<void> {
    const capabilities = await this.devices.lockOnlineCapabilities(deviceId);
    if (capabilities) await this.machines.setOnline(deviceId, capabilities);
  }

  private enqueueWrite(deviceId: string, write: () => Promise<void>, prerequisite?: Promise<void>): void {
    const previousWrite = this.writeQueues.get(deviceId) ?? Promise.resolve();
    const queuedWrite = previousWrite.then(() => prerequisite).then(() => this.writeWithRetries(deviceId, write));
    this.writeQueues.set(deviceId, queuedWrite);
    void queuedWrite.then(() => {
      if (this.writeQueues.get(deviceId) === queuedWrite) this.writeQueues.delete(deviceId);
    });
  }

  private async writeWithRetries(deviceId: string, write: () => Promise<void>): Promise<void> {
    const { signal } = this.flushController;
    for (let retryDelayMs = INITIAL_RETRY_DELAY_MS; ; retryDelayMs = Math.min(2 * retryDelayMs, MAX_RETRY_DELAY_MS)) {
      const isLastAttempt = signal.aborted;
      try {
        return await this.concurrencyLimiter.runLimited(() => this.unitOfWork.runInTransaction(write));
      } catch (error) {
        if (retryDelayMs === INITIAL_RETRY_DELAY_MS) {
          this.logger.warn({ deviceId, reason: (error as Error).message }, 'presence write failed');
        }
        if (isLastAttempt || !isDatabaseUnavailable(error)) return;
      }
      await sleep(retryDelayMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
