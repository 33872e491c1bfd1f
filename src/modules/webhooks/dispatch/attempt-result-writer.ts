import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { isDatabaseUnavailable, UnitOfWork } from '../../../core/database';
import type { AttemptEntity } from '../deliveries/attempt.entity';
import { AttemptPartitionService } from '../deliveries/attempt-partition.service';
import { AttemptsRepository } from '../deliveries/attempts.repository';
import { isSuccessfulExchange, isSent, type WebhookExchange } from '../../webhook-sending';
import { WebhooksRepository } from '../subscriptions/webhooks.repository';
import { updateCircuitBreaker, shouldDisableEndpoint, type CircuitBreaker } from './circuit-breaker';
import { EndpointQueuesRepository, type EndpointLease, type EndpointQueueOutcome } from './endpoint-queues.repository';
import { PendingDeliveriesRepository, type DeliveryOutcome } from './pending-deliveries.repository';
import { WebhookDisabler, type WebhookFailure } from './webhook-disabler';

const MAX_BATCH_SIZE = 500;
/** Results within this window share a transaction. Workers don't wait for it before the next attempt. */
const BATCH_WINDOW_MS = 20;
const RETRY_INTERVAL_MS = 250;

/** Result of an attempt or of a cancelled delivery. */
export interface CompletedAttempt {
  /** Number of the lease under which the attempt started. */
  fencingToken: string;
  outcome: DeliveryOutcome;
  /** URL that the attempt was sent to. The webhook may have another one by now. */
  url: string;
  endedAt: Date;
  /** Null when nothing was sent. */
  exchange: WebhookExchange | null;
  /** Lease expiry on the monotonic clock. Results are not written after it. */
  validUntil: number;
}

interface PendingWrite {
  completedAttempt: CompletedAttempt;
  /** Receives true when the result was written, false when it was too late. */
  resolve: (written: boolean) => void;
}

/** Writes attempt results. Batches concurrent results in one transaction and rejects those of lost leases. */
@Injectable()
export class AttemptResultWriter {
  private readonly logger = new Logger('Webhooks');
  private pendingWrites: PendingWrite[] = [];
  private isWriting = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly pendingDeliveries: PendingDeliveriesRepository,
    private readonly webhooks: WebhooksRepository,
    private readonly attempts: AttemptsRepository,
    private readonly attemptPartitions: AttemptPartitionService,
    private readonly webhookDisabler: WebhookDisabler,
    private readonly clock: Clock,
  ) {}

  writeResult(completedAttempt: CompletedAttempt): Promise<boolean> {
    return new Promise((resolve) => {
      this.pendingWrites.push({ completedAttempt, resolve });
      if (!this.isWriting) void this.writePendingResults();
    });
  }

  private async writePendingResults(): Promise<void> {
    this.isWriting = true;
    while (this.pendingWrites.length > 0) {
      if (this.pendingWrites.length < MAX_BATCH_SIZE) await sleep(BATCH_WINDOW_MS);
      const batch = this.pendingWrites.splice(0, MAX_BATCH_SIZE);
      const written = await this.writeWithRetry(batch.map(({ completedAttempt }) => completedAttempt));
      for (const { completedAttempt, resolve } of batch) resolve(written.has(completedAttempt));
    }
    this.isWriting = false;
  }

  /** Retries while the database is unavailable, until the leases expire. */
  private async writeWithRetry(completedAttempts: CompletedAttempt[]): Promise<Set<CompletedAttempt>> {
    for (;;) {
      const validAttempts = completedAttempts.filter(({ validUntil }) => validUntil > this.clock.monotonicMs());
      if (validAttempts.length === 0) return new Set();
      try {
        return await this.writeWithLog(validAttempts);
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          this.logger.error({ err: error }, 'webhook attempt results write failed');
          return new Set();
        }
        await sleep(RETRY_INTERVAL_MS);
      }
    }
  }

  /** Creates missing log partitions and retries. Finishes the delivery even if the log can't be written. */
  private async writeWithLog(completedAttempts: CompletedAttempt[]): Promise<Set<CompletedAttempt>> {
    const attemptLog = completedAttempts.flatMap(toAttemptEntities);
    for (let round = 0; round < 2; round++) {
      try {
        await this.attemptPartitions.ensurePartitions(attemptLog.map(({ at }) => at.getTime()));
        return await this.writeBatch(completedAttempts, attemptLog);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        this.attemptPartitions.clearKnownDays();
        this.logger.warn({ reason: (error as Error).message }, 'webhook attempt log write failed');
      }
    }
    return this.writeBatch(completedAttempts, []);
  }

  private writeBatch(
    completedAttempts: CompletedAttempt[],
    attemptLog: AttemptEntity[],
  ): Promise<Set<CompletedAttempt>> {
    return this.unitOfWork.runInTransaction(async () => {
      const lockedQueues = await this.endpointQueues.lockEndpointQueues([
        ...new Set(completedAttempts.map(({ outcome }) => outcome.webhookId)),
      ]);
      const queuesById = new Map(lockedQueues.map((lockedQueue) => [lockedQueue.webhookId, lockedQueue]));
      const currentAttempts = completedAttempts.filter(
        ({ fencingToken, outcome }) => queuesById.get(outcome.webhookId)?.fencingToken === fencingToken,
      );
      if (currentAttempts.length === 0) return new Set();
      // Fewer than all when an earlier commit succeeded but its acknowledgement was lost.
      const changedIds = await this.pendingDeliveries.saveOutcomes(currentAttempts.map(({ outcome }) => outcome));
      const loggedAttempts = attemptLog.filter(({ deliveryId }) => changedIds.has(deliveryId));
      if (loggedAttempts.length > 0) await this.attempts.insert(loggedAttempts);
      await this.updateCircuitBreakers(
        currentAttempts.filter(({ outcome }) => changedIds.has(outcome.id)),
        queuesById,
      );
      return new Set(currentAttempts);
    });
  }

  /**
   * Counts results for the circuit breakers, except those of an earlier URL: an edit has reset the circuit breaker for
   * the new one. Reads the URLs while the endpoint queues are locked, which an edit does first.
   */
  private async updateCircuitBreakers(
    completedAttempts: CompletedAttempt[],
    queuesById: Map<string, EndpointLease>,
  ): Promise<void> {
    const currentUrls = await this.webhooks.findUrls([...queuesById.keys()]);
    const outcomes = new Map<string, EndpointQueueOutcome>();
    const failures = new Map<string, WebhookFailure>();
    for (const { outcome, url, endedAt, exchange } of completedAttempts) {
      if (!exchange || !isSent(exchange)) continue;
      const { webhookId } = outcome;
      const previousState: CircuitBreaker =
        outcomes.get(webhookId)?.circuitBreaker ?? queuesById.get(webhookId)!.circuitBreaker;
      const isCurrent = currentUrls.get(webhookId) === url;
      const circuitBreaker = isCurrent
        ? updateCircuitBreaker(previousState, isSuccessfulExchange(exchange), endedAt)
        : previousState;
      outcomes.set(webhookId, {
        webhookId,
        circuitBreaker,
        lastDeliveryAt: endedAt,
        lastDeliveryStatus: exchange.status,
      });
      if (!isCurrent) continue;
      if (exchange.status === 410) failures.set(webhookId, { webhookId, url, reason: 'gone' });
      else if (shouldDisableEndpoint(circuitBreaker, endedAt)) {
        failures.set(webhookId, { webhookId, url, reason: 'failing' });
      }
    }
    if (outcomes.size > 0) await this.endpointQueues.saveOutcomes([...outcomes.values()]);
    for (const failure of failures.values()) await this.webhookDisabler.disableWebhook(failure);
  }
}

function toAttemptEntities({ outcome, endedAt, exchange }: CompletedAttempt): AttemptEntity[] {
  if (!exchange) return [];
  const { id: deliveryId, webhookId, attempts: attempt } = outcome;
  const { status, durationMs, error, response, responseHeaders } = exchange;
  return [{ webhookId, deliveryId, attempt, at: endedAt, status, durationMs, error, response, responseHeaders }];
}
