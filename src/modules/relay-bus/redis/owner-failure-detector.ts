import { Logger } from '@nestjs/common';
import { PeriodicTask } from '../../../common/periodic-task';
import type { OutgoingCall } from './outgoing-call';
import type { RedisConnection } from './redis-connection';
import { OWNER_TIMEOUT_MS, type SharedPresenceStore } from './shared-presence-store';

const CHECK_INTERVAL_MS = 250;
/** Owners that were heard for less time ago are not checked: most calls need no check at all. */
const MIN_SILENCE_MS = 600;
/** Live owners send a heartbeat twice a second, also while they resubscribe. */
const OWNER_SILENCE_MS = 800;

/** Fails calls whose owner is dead or silent (docs/protocol/relay.md#routing-between-instances). */
export class OwnerFailureDetector {
  private readonly logger = new Logger('RelayBus');
  private readonly checkTask = new PeriodicTask('owner check', CHECK_INTERVAL_MS, () => this.checkCalls());
  private lastCheckAt = performance.now();
  /**
   * Owners that failed the last check. An owner must fail two in a row, because resubscribing looks the same as death.
   */
  private suspectedOwners = new Set<string>();

  constructor(
    private readonly redisConnection: RedisConnection,
    private readonly sharedPresenceStore: SharedPresenceStore,
    private readonly outgoingCalls: ReadonlyMap<string, OutgoingCall>,
  ) {}

  start(): void {
    this.checkTask.start();
  }

  stop(): void {
    void this.checkTask.stop();
  }

  /** Does not wait for Redis: a slow reply must not delay the next check, which also fails calls by elapsed time. */
  private checkCalls(): void {
    const now = performance.now();
    const stalledMs = now - this.lastCheckAt - CHECK_INTERVAL_MS;
    this.lastCheckAt = now;
    for (const call of this.outgoingCalls.values()) {
      // Time in which this process was stalled does not count as silence of the owner.
      if (stalledMs > CHECK_INTERVAL_MS) call.ownerHeardAt += stalledMs;
      if (now - call.ownerHeardAt > OWNER_TIMEOUT_MS) call.failCall('device_disconnected');
    }
    void this.checkOwners(now);
  }

  private async checkOwners(now: number): Promise<void> {
    const silentCalls = [...this.outgoingCalls.values()].filter((call) => now - call.ownerHeardAt > MIN_SILENCE_MS);
    const owners = [...new Set(silentCalls.flatMap(({ owner }) => owner ?? []))];
    if (owners.length === 0 || !this.redisConnection.isUp) return this.suspectedOwners.clear();
    const checks = await Promise.all(owners.map(async (owner) => [owner, await this.isAlive(owner)] as const));
    const deadOwners = new Set(checks.flatMap(([owner, isAlive]) => (isAlive ? [] : [owner])));
    for (const call of this.outgoingCalls.values()) {
      const { owner, ownerHeardAt } = call;
      const isSilent = performance.now() - ownerHeardAt > OWNER_SILENCE_MS;
      if (owner && deadOwners.has(owner) && this.suspectedOwners.has(owner) && isSilent)
        call.failCall('device_disconnected');
    }
    this.suspectedOwners = deadOwners;
  }

  /** Returns true if Redis does not answer, which says nothing about the owner. */
  private async isAlive(owner: string): Promise<boolean> {
    try {
      return (await this.sharedPresenceStore.readInstanceState(owner)) === 'reachable';
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'owner check failed');
      return true;
    }
  }
}
