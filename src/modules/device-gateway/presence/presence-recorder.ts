import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ConcurrencyLimiter } from '../../../common/concurrency-limiter';
import { Clock } from '../../../common/clock';
import { InstanceRegistry } from '../../../core/instances';
import { MachinesService } from '../../machines';
import { Config } from '../../../core/config';
import { getConnectionShare, isDatabaseUnavailable, UnitOfWork } from '../../../core/database';
import { type DeviceConnection, RelayBus, RelayCluster } from '../../relay-bus';
import { PresenceRepository } from './presence.repository';
import { PreviousReleasePresenceRepository } from './previous-release-presence.repository';

/** Share of the database connections for presence writes, so that calls get one however many devices reconnect. */
const CONNECTION_SHARE = 0.1;
/** Delay after the first failed write. It doubles up to the maximum. */
const INITIAL_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 30_000;
const OUTDATED_BATCH_SIZE = 1_000;

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
    private readonly presence: PresenceRepository,
    private readonly previousRelease: PreviousReleasePresenceRepository,
    private readonly machines: MachinesService,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.concurrencyLimiter = new ConcurrencyLimiter(getConnectionShare(config, CONNECTION_SHARE));
  }

  onApplicationBootstrap(): void {
    // Every delayed write adds a listener.
    setMaxListeners(0, this.flushController.signal);
    this.machines.registrations.subscribe(({ deviceId }) =>
      this.enqueueWrite(deviceId, () => this.recordRegistered(deviceId)),
    );
    this.instanceRegistry.recovered.subscribe(() => {
      this.recordAllConnections();
      this.cluster?.republishPresence();
    });
    this.instanceRegistry.olderReleaseAppeared.subscribe(() => {
      this.recordAllConnections();
      void this.copyOutdatedPresence();
    });
  }

  recordConnected({ device, epoch, capabilities }: DeviceConnection): void {
    const presence = { instance: this.instanceRegistry.ownInstanceId, epoch, capabilities };
    this.enqueueWrite(device.deviceId, async () => {
      const turned = await this.presence.setOnline(device.deviceId, presence, this.clock.currentDate());
      this.machines.notifyStateChanges('online', turned);
    });
  }

  /** @param detachment awaited before the write, so that `flushWrites` covers it */
  recordDisconnected({ device, epoch }: DeviceConnection, detachment: Promise<void>): void {
    this.enqueueWrite(
      device.deviceId,
      async () => {
        const turned = await this.presence.setOffline(device.deviceId, epoch, this.clock.currentDate());
        this.machines.notifyStateChanges('offline', turned);
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
  private recordRegistered(deviceId: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const turned = await this.presence.setRegisteredOnline(deviceId, this.clock.currentDate());
      this.machines.notifyStateChanges('online', turned);
    });
  }

  private recordAllConnections(): void {
    for (const connection of this.bus.listConnections()) this.recordConnected(connection);
  }

  /** Corrects what an instance of the previous release reads that has just started. */
  private async copyOutdatedPresence(): Promise<void> {
    try {
      for (let after: string | undefined = ''; after !== undefined;) {
        const deviceIds = await this.previousRelease.findOutdatedDevices(after, OUTDATED_BATCH_SIZE);
        for (const deviceId of deviceIds) this.enqueueWrite(deviceId, () => Promise.resolve());
        after = deviceIds.at(-1);
      }
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'presence of the previous release not corrected');
    }
  }

  private enqueueWrite(deviceId: string, write: () => Promise<void>, prerequisite?: Promise<void>): void {
    const previousWrite = this.writeQueues.get(deviceId) ?? Promise.resolve();
    const queuedWrite = previousWrite.then(() => prerequisite).then(() => this.writeWithRetries(deviceId, write));
    this.writeQueues.set(deviceId, queuedWrite);
    void queuedWrite.then(() => {
      if (this.writeQueues.get(deviceId) === queuedWrite) this.writeQueues.delete(deviceId);
    });
  }

  private copyPresence(deviceId: string): Promise<void> {
    return this.unitOfWork.runInTransaction(() => this.previousRelease.copyPresence(deviceId));
  }

  private async writeWithRetries(deviceId: string, write: () => Promise<void>): Promise<void> {
    const { signal } = this.flushController;
    for (let retryDelayMs = INITIAL_RETRY_DELAY_MS; ; retryDelayMs = Math.min(2 * retryDelayMs, MAX_RETRY_DELAY_MS)) {
      const isLastAttempt = signal.aborted;
      try {
        return await this.concurrencyLimiter.runLimited(async () => {
          await write();
          if (this.instanceRegistry.isOlderReleaseRunning) await this.copyPresence(deviceId);
        });
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
