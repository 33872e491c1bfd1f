import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { PeriodicTask } from '../../../common/periodic-task';
import type { DeviceConnection } from '../device-connection';
import type { LocalConnectionRegistry } from '../local-connection-registry';
import type { SharedPresenceStore } from './shared-presence-store';

const BATCH_SIZE = 200;
const BATCH_PAUSE_MS = 10;
const RETRY_INTERVAL_MS = 1_000;

/** Publishes the presence of this instance's connections, and retries while Redis is unavailable. */
export class PresencePublisher {
  private readonly logger = new Logger('RelayBus');
  /** Connections whose presence is not in Redis yet. */
  private readonly unpublishedConnections = new Set<DeviceConnection>();
  private readonly pendingRemovals = new Set<Promise<void>>();
  private readonly publicationTask = new PeriodicTask('presence publication', RETRY_INTERVAL_MS, () =>
    this.publishMissing(),
  );

  constructor(
    private readonly sharedPresenceStore: SharedPresenceStore,
    private readonly localConnectionRegistry: LocalConnectionRegistry,
  ) {}

  start(): void {
    this.publicationTask.start();
  }

  /** Resolves when no entry of a closed connection is left, unless Redis is unavailable. */
  async stop(): Promise<void> {
    await this.publicationTask.stop();
    await Promise.all(this.pendingRemovals);
  }

  async addConnection(connection: DeviceConnection): Promise<void> {
    this.unpublishedConnections.add(connection);
    await this.publishConnection(connection);
  }

  /** If Redis is unavailable, the stale entry is removed later, when it routes a call to this instance. */
  async removeConnection(connection: DeviceConnection): Promise<void> {
    this.unpublishedConnections.delete(connection);
    const { accountId, deviceId } = connection.device;
    const removal = this.sharedPresenceStore
      .removeEntry(accountId, deviceId, connection.epoch)
      .catch((error: Error) => this.logger.debug({ deviceId, reason: error.message }, 'presence removal failed'))
      .finally(() => this.pendingRemovals.delete(removal));
    this.pendingRemovals.add(removal);
    await removal;
  }

  /** Publishes all connections again, in the background, after Redis may have lost or restored data. */
  republishAll(): void {
    for (const connection of this.localConnectionRegistry.listConnections())
      this.unpublishedConnections.add(connection);
    this.publicationTask.trigger();
  }

  /** Publishes in batches with pauses, so that calls are not delayed. */
  private async publishMissing(): Promise<void> {
    const connections = [...this.unpublishedConnections];
    for (let i = 0; i < connections.length; i += BATCH_SIZE) {
      await Promise.all(connections.slice(i, i + BATCH_SIZE).map((each) => this.publishConnection(each)));
      await sleep(BATCH_PAUSE_MS);
    }
  }

  private async publishConnection(connection: DeviceConnection): Promise<void> {
    if (!connection.isCurrent) return void this.unpublishedConnections.delete(connection);
    try {
      const isNewest = await this.sharedPresenceStore.publishEntry(connection);
      this.unpublishedConnections.delete(connection);
      if (!isNewest) connection.closeWhenIdle();
    } catch (error) {
      this.unpublishedConnections.add(connection);
      this.logger.debug({ reason: (error as Error).message }, 'presence publication failed');
    }
  }
}
