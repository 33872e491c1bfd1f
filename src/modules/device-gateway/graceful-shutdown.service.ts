import { setTimeout as sleep } from 'node:timers/promises';
import { BeforeApplicationShutdown, Inject, Injectable, OnModuleDestroy } from '@nestjs/common';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from '../../core/config';
import { RelayBus, RelayCluster } from '../relay-bus';
import { PresenceRecorder } from './presence/presence-recorder';
import { SyncNotificationPublisher } from './presence/sync-notification-publisher';

/** The process must end within a minute. The rest is for closing connections and the database. */
const SHUTDOWN_TIMEOUT_MS = 50_000;
/** Devices are asked to reconnect one by one, so that the other instances don't get all of them at once. */
const RECONNECT_SPACING_MS = 10;
const MAX_RECONNECT_SPREAD_MS = 15_000;
const RECONNECT_TIMEOUT_MS = 5_000;
const WAIT_INTERVAL_MS = 20;

/**
 * Graceful shutdown: hands over devices to other instances, finishes background work, and then pending calls
 * (docs/protocol/relay.md#graceful-shutdown). Nest calls the hooks of one module after those of another, so this one
 * waits for the work of the others.
 */
@Injectable()
export class GracefulShutdownService implements OnModuleDestroy, BeforeApplicationShutdown {
  private deadline = Infinity;

  constructor(
    private readonly shutdownState: ShutdownState,
    private readonly bus: RelayBus,
    @Inject(RelayCluster) private readonly cluster: RelayCluster | null,
    private readonly presenceRecorder: PresenceRecorder,
    private readonly syncNotificationPublisher: SyncNotificationPublisher,
    private readonly config: Config,
  ) {}

  /** Nest calls this at once. */
  onModuleDestroy(): void {
    this.deadline = performance.now() + SHUTDOWN_TIMEOUT_MS;
    this.shutdownState.startDraining();
  }

  /** @param signal absent if the process itself closes the application, which then gets no more calls */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal && this.cluster) await this.handOverDevices(this.cluster);
    await this.waitInTime(this.shutdownState.finishBackgroundWork());
    this.shutdownState.startClosing();
    await this.finishPendingCalls();
    await this.waitInTime(this.presenceRecorder.flushWrites());
    this.syncNotificationPublisher.publishGathered();
  }

  private async waitInTime(work: Promise<void>): Promise<void> {
    await Promise.race([work, sleep(this.remainingMs, undefined, { ref: false })]);
  }

  private get remainingMs(): number {
    return Math.max(1_000, this.deadline - performance.now());
  }

  /** Continues to serve while load balancers and devices switch to the other instances. */
  private async handOverDevices(cluster: RelayCluster): Promise<void> {
    // Load balancers need time to notice that this instance is not ready.
    const notice = sleep(this.config.shutdownNoticeSeconds * 1_000);
    const handOvers = Promise.all([notice, this.shutdownState.runHandOvers()]);
    await cluster.announceShutdown();
    await this.requestReconnects();
    await this.waitUntil(() => this.bus.connectionCount === 0, RECONNECT_TIMEOUT_MS);
    await handOvers;
  }

  private async requestReconnects(): Promise<void> {
    const connections = [...this.bus.listConnections()];
    const spreadMs = Math.min(MAX_RECONNECT_SPREAD_MS, connections.length * RECONNECT_SPACING_MS);
    const startedAt = performance.now();
    for (let requestedCount = 0; requestedCount < connections.length; await sleep(WAIT_INTERVAL_MS)) {
      const dueCount = Math.ceil(((performance.now() - startedAt + WAIT_INTERVAL_MS) / spreadMs) * connections.length);
      for (const connection of connections.slice(requestedCount, dueCount))
        connection.requestReconnect(RECONNECT_TIMEOUT_MS);
      requestedCount = dueCount;
    }
  }

  private async finishPendingCalls(): Promise<void> {
    for (const connection of [...this.bus.listConnections()]) connection.closeWhenIdle();
    await this.waitUntil(() => this.bus.pendingCallCount === 0 && this.bus.connectionCount === 0, this.remainingMs);
    for (const connection of [...this.bus.listConnections()]) connection.closeSocket();
    await this.waitUntil(() => this.bus.connectionCount === 0, 1_000);
  }

  private async waitUntil(isDone: () => boolean, timeoutMs: number): Promise<void> {
    const waitDeadline = performance.now() + timeoutMs;
    while (!isDone() && performance.now() < waitDeadline) await sleep(WAIT_INTERVAL_MS);
  }
}
