import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MINUTE } from '../../../common/clock';
import type { CallOutcome } from '../relay-call';
import type { OutcomeHead, RequestHead } from './envelope';
import type { RedisConnection } from './redis-connection';

/** Equals the time that an origin waits for a silent owner. */
const RETRY_TIMEOUT_MS = 2_000;
/** Answers to calls with an `Idempotency-Key` are useful after the origin gave up: the caller may retry to get them. */
const IDEMPOTENT_RETRY_TIMEOUT_MS = MINUTE;
const MAX_PENDING_ANSWERS = 1_000;
const RETRY_INTERVAL_MS = 50;

/**
 * Publishes answers to the origin, with retries. An answer may be published twice; the origin accepts the first one.
 */
export class AnswerPublisher {
  private readonly logger = new Logger('RelayBus');
  private pendingCount = 0;

  constructor(private readonly redisConnection: RedisConnection) {}

  /**
   * Resolves when the outcome was published or given up.
   * @param outcome null if the device has left this instance and nothing was sent to it
   */
  publishOutcome(request: RequestHead, outcome: CallOutcome | null): Promise<void> {
    const isAnswered = outcome?.kind === 'answered';
    const body = isAnswered ? JSON.stringify(outcome.answer) : '';
    const hasLongRetry = isAnswered && request.audit.keyed && this.pendingCount < MAX_PENDING_ANSWERS;
    const timeoutMs = hasLongRetry ? IDEMPOTENT_RETRY_TIMEOUT_MS : RETRY_TIMEOUT_MS;
    const head = toOutcomeHead(request, outcome);
    return this.publishUntilReceived(request.origin, timeoutMs, head, body).catch((error: Error) => {
      this.logger.warn({ requestId: request.callId, reason: error.message }, 'answer publication failed');
    });
  }

  /**
   * Retries also if the origin has no subscription, because it may only be reconnecting to Redis. After an outage of
   * Redis, this instance may be back before the origin, however long the outage was.
   * @param timeoutMs how long to retry while Redis is unavailable
   */
  private async publishUntilReceived(
    origin: string,
    timeoutMs: number,
    head: OutcomeHead,
    body: string,
  ): Promise<void> {
    const startedAt = performance.now();
    let absentSince: number | null = null;
    this.pendingCount += 1;
    try {
      for (;;) {
        const receivers = await this.redisConnection.publishEnvelope(origin, head, body).catch((error: Error) => error);
        const now = performance.now();
        const elapsedMs = now - startedAt;
        if (receivers instanceof Error) {
          if (elapsedMs > timeoutMs) throw receivers;
          absentSince = null;
        } else {
          if (receivers > 0) return;
          absentSince ??= now;
          if (now - absentSince > RETRY_TIMEOUT_MS) throw new Error('origin instance is gone');
        }
        await sleep(RETRY_INTERVAL_MS + elapsedMs / 10, undefined, { ref: false });
      }
    } finally {
      this.pendingCount -= 1;
    }
  }
}

function toOutcomeHead({ callId, attempt }: RequestHead, outcome: CallOutcome | null): OutcomeHead {
  const common = { type: 'answer', callId, attempt } as const;
  if (!outcome) return { ...common, deviceMs: 0, kind: 'refused', reason: 'gone' };
  switch (outcome.kind) {
    case 'answered':
      return { ...common, deviceMs: outcome.deviceMs, kind: 'answered' };
    case 'not_delivered':
      return { ...common, deviceMs: 0, kind: 'refused', reason: outcome.reason };
    case 'unknown':
      return { ...common, deviceMs: outcome.deviceMs, kind: 'lost', reason: outcome.reason };
  }
}
