import { Logger } from '@nestjs/common';
import type { Subject } from 'rxjs';
import { PeriodicTask } from '../../../common/periodic-task';
import type { OrphanedCall } from '../relay-cluster';
import type { IncomingCall } from './incoming-call';
import type { RedisConnection } from './redis-connection';

const HEARTBEAT_INTERVAL_MS = 500;
/** Three seconds: longer than a live origin takes to reconnect. */
const MAX_MISSED_HEARTBEATS = 6;
/** Younger calls get no heartbeat: most are answered by then. */
const MIN_CALL_AGE_MS = 450;

/**
 * Sends a heartbeat to the origins of running calls twice a second, and detects dead origins by missing subscribers.
 */
export class OriginHeartbeat {
  private readonly logger = new Logger('RelayBus');
  /** Does not wait for Redis: a slow reply must not delay the next heartbeat, without which origins give up. */
  private readonly heartbeatTask = new PeriodicTask(
    'origin heartbeat',
    HEARTBEAT_INTERVAL_MS,
    () => void this.sendHeartbeats(),
  );
  /** Consecutive heartbeats without a subscriber, by origin. An origin that resubscribes also misses some. */
  private missedHeartbeats = new Map<string, number>();

  constructor(
    private readonly redisConnection: RedisConnection,
    private readonly runningCalls: Map<string, IncomingCall>,
    private readonly orphanedCalls: Subject<OrphanedCall>,
  ) {}

  start(): void {
    this.heartbeatTask.start();
  }

  stop(): void {
    void this.heartbeatTask.stop();
  }

  private async sendHeartbeats(): Promise<void> {
    const missedHeartbeats = new Map<string, number>();
    await Promise.all(
      [...this.groupCallsByOrigin()].map(async ([origin, callIds]) => {
        const isReceived = await this.sendHeartbeat(origin, callIds);
        if (isReceived) return;
        const missedCount = (this.missedHeartbeats.get(origin) ?? 0) + 1;
        missedHeartbeats.set(origin, missedCount);
        if (missedCount >= MAX_MISSED_HEARTBEATS) this.orphanCalls(origin);
      }),
    );
    this.missedHeartbeats = missedHeartbeats;
  }

  private groupCallsByOrigin(): Map<string, string[]> {
    const origins = new Map<string, string[]>();
    const startedBefore = performance.now() - MIN_CALL_AGE_MS;
    for (const [callId, { head, startedAt }] of this.runningCalls) {
      if (startedAt > startedBefore) continue;
      const callIds = origins.get(head.origin);
      if (callIds) callIds.push(callId);
      else origins.set(head.origin, [callId]);
    }
    return origins;
  }

  /**
   * Returns false if the origin has no subscription. Returns true if Redis does not answer, which says nothing about
   * it.
   */
  private async sendHeartbeat(origin: string, callIds: string[]): Promise<boolean> {
    try {
      return (await this.redisConnection.publishEnvelope(origin, { type: 'running', callIds })) > 0;
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'origin heartbeat failed');
      return true;
    }
  }

  /** Cancels the origin's calls. A call with an `Idempotency-Key` continues: its caller may retry to get the answer. */
  private orphanCalls(origin: string): void {
    for (const call of this.runningCalls.values()) {
      const { head, request, connection } = call;
      if (head.origin !== origin || head.audit.keyed || call.isOrphaned) continue;
      call.isOrphaned = true;
      connection.cancelCall(head.callId, 'origin_gone');
      const { accountId, deviceId, audit } = head;
      this.orphanedCalls.next({ accountId, deviceId, request, audit });
    }
  }
}
