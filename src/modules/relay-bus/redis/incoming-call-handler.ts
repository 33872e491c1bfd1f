import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { getMethodCapability, type RelayRequest } from '@external-api/protocol';
import { MINUTE } from '../../../common/clock';
import type { DeviceAnswer } from '../device-answer';
import type { DeviceConnection } from '../device-connection';
import type { LocalConnectionRegistry } from '../local-connection-registry';
import type { NotDeliveredReason } from '../relay-call';
import { runRelayStage } from '../relay-spans';
import type { BusMetrics } from './bus-metrics';
import type { ClusterMembership } from './cluster-membership';
import { ENVELOPE_VERSION, type EnvelopeStamp, type RequestHead } from './envelope';
import type { IncomingCall } from './incoming-call';
import { OriginHeartbeat } from './origin-heartbeat';
import type { RedisClock } from './redis-clock';
import type { RedisConnection } from './redis-connection';
import { AnswerPublisher } from './answer-publisher';
import { OWNER_TIMEOUT_MS, type SharedPresenceStore } from './shared-presence-store';

/** Clock difference in ms that the retries of `RedisBus` cover: they are spread over 400 ms. */
const ATTEMPTS_COVER_MS = 300;
/** Far longer than a call may be waiting to start. Measured by the monotonic clock, because Redis time may jump. */
const ATTEMPT_RETENTION_MS = MINUTE;

/** Runs calls from other instances on devices that are connected to this one. */
export class IncomingCallHandler {
  private readonly logger = new Logger('RelayBus');
  private readonly runningCalls = new Map<string, IncomingCall>();
  /** Settle when the outcome of a received call was published or given up. */
  private readonly publications = new Set<Promise<void>>();
  private readonly duplicateCallDetector = new DuplicateCallDetector();
  private readonly answerPublisher: AnswerPublisher;
  private readonly originHeartbeat: OriginHeartbeat;

  constructor(
    redisConnection: RedisConnection,
    private readonly clock: RedisClock,
    private readonly localConnectionRegistry: LocalConnectionRegistry,
    private readonly sharedPresenceStore: SharedPresenceStore,
    private readonly metrics: BusMetrics,
    private readonly clusterMembership: ClusterMembership,
  ) {
    this.answerPublisher = new AnswerPublisher(redisConnection);
    this.originHeartbeat = new OriginHeartbeat(redisConnection, this.runningCalls, clusterMembership.orphanedCalls);
  }

  get size(): number {
    return this.runningCalls.size;
  }

  start(): void {
    this.originHeartbeat.start();
  }

  /** Resolves when the outcomes of all calls were published, or their origins have stopped waiting. */
  async stop(): Promise<void> {
    await Promise.race([Promise.all(this.publications), sleep(OWNER_TIMEOUT_MS, undefined, { ref: false })]);
    this.originHeartbeat.stop();
  }

  handleRequest(head: RequestHead & EnvelopeStamp, body: string): void {
    const publication = this.answerCall(head, body)
      .catch((error: Error) => {
        this.logger.error({ requestId: head.callId, err: error }, 'incoming relayed call failed');
      })
      .finally(() => this.publications.delete(publication));
    this.publications.add(publication);
  }

  private async answerCall(head: RequestHead & EnvelopeStamp, body: string): Promise<void> {
    if (head.version !== ENVELOPE_VERSION) return this.refuseCall(head, 'relay_unavailable');
    if (!this.duplicateCallDetector.admitAttempt(head.callId, head.attempt)) return this.metrics.duplicateAnswers.inc();
    // A clock may have been set since the last sample of Redis time, so the call is refused by a new sample only.
    if (!this.clock.isBefore(head.acceptBy)) await this.clusterMembership.synchronizeClock();
    if (!this.clock.isBefore(head.acceptBy)) {
      // The origin has given up the call, or the clock is too imprecise to tell, so the call must not start.
      this.metrics.expiredCalls.inc();
      return this.refuseCall(head, 'relay_unavailable');
    }
    const connection = this.localConnectionRegistry.findConnection(head.accountId, head.deviceId);
    if (!connection?.isCurrent || connection.epoch < head.epoch) return this.refuseUnknownDevice(head);
    if (!this.canServe(connection, head)) return this.answerPublisher.publishOutcome(head, null);
    this.duplicateCallDetector.markStarted(head.callId);
    return this.runCall(head, JSON.parse(body) as RelayRequest, connection);
  }

  /**
   * Whether the connection may run the call: it has the capability, and the device was connected to this instance when
   * the call was signed. This refuses calls that were captured while the device was connected to another instance and
   * are replayed to its next one. It also refuses a call that crossed with a move to this instance, which its origin
   * then signs again: its retries take longer than the clock estimates of two instances usually differ. A larger
   * possible error, after slow replies of Redis, is allowed for. A reconnect to the same instance refuses nothing: this
   * instance knows which calls it has started, and a device that reconnects faster than calls arrive here would refuse
   * every attempt.
   */
  private canServe(
    connection: DeviceConnection,
    { sentAt, sentAtErrorMs = 0, method }: RequestHead & EnvelopeStamp,
  ): boolean {
    if (!connection.capabilities.includes(getMethodCapability(method))) return false;
    if (sentAt === undefined) return true;
    const toleranceMs = Math.max(0, sentAtErrorMs + this.clock.errorMs - ATTEMPTS_COVER_MS);
    return sentAt + toleranceMs >= this.clock.toRedisTime(connection.presentSince);
  }

  cancelCall(callId: string, reason: string): void {
    this.runningCalls.get(callId)?.connection.cancelCall(callId, reason);
  }

  private async runCall(head: RequestHead, request: RelayRequest, connection: DeviceConnection): Promise<void> {
    const startedAt = performance.now();
    this.runningCalls.set(head.callId, { head, request, connection, startedAt, isOrphaned: false });
    const onLateAnswer = this.createLateAnswerHandler(head, startedAt);
    const outcome = await runRelayStage('owner', request, (traced) =>
      connection.sendRequest(traced, head.answerBy - this.clock.now(), onLateAnswer),
    ).finally(() => this.runningCalls.delete(head.callId));
    await this.answerPublisher.publishOutcome(head, outcome);
  }

  /** A method of its own: the handler lives for minutes and must retain the head of the call, not its request. */
  private createLateAnswerHandler(head: RequestHead, startedAt: number) {
    return (answer: DeviceAnswer) => {
      const deviceMs = Math.round(performance.now() - startedAt);
      const { deviceId } = head;
      void this.answerPublisher.publishOutcome(head, { kind: 'answered', deviceId, answer, routeMs: 0, deviceMs });
    };
  }

  /**
   * Removes the stale presence entry that routed the call here, unless it was replaced meanwhile, then refuses the
   * call.
   */
  private async refuseUnknownDevice(head: RequestHead): Promise<void> {
    try {
      await this.sharedPresenceStore.removeEntry(head.accountId, head.deviceId, head.epoch);
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'stale presence removal failed');
      return this.refuseCall(head, 'relay_unavailable');
    }
    await this.answerPublisher.publishOutcome(head, null);
  }

  private refuseCall(head: RequestHead, reason: NotDeliveredReason): Promise<void> {
    return this.answerPublisher.publishOutcome(head, { kind: 'not_delivered', reason, deviceId: head.deviceId });
  }
}

/**
 * Detects repeated calls from other instances, so that a call that is published again does not run again. A call that
 * started never starts again; a call that was refused may arrive again as a later attempt.
 */
class DuplicateCallDetector {
  private readonly attemptsByCallId = new Map<string, { attempt: number; seenAt: number }>();

  /** Returns false for an attempt that was seen before, or of a call that has started. */
  admitAttempt(callId: string, attempt: number): boolean {
    if (attempt <= (this.attemptsByCallId.get(callId)?.attempt ?? 0)) return false;
    this.recordAttempt(callId, attempt);
    return true;
  }

  markStarted(callId: string): void {
    this.recordAttempt(callId, Infinity);
  }

  /** Records an attempt and deletes expired ones. Each entry is inserted again, so the oldest come first. */
  private recordAttempt(callId: string, attempt: number): void {
    const now = performance.now();
    this.attemptsByCallId.delete(callId);
    this.attemptsByCallId.set(callId, { attempt, seenAt: now });
    for (const [oldest, { seenAt }] of this.attemptsByCallId) {
      if (now - seenAt < ATTEMPT_RETENTION_MS) return;
      this.attemptsByCallId.delete(oldest);
    }
  }
}
