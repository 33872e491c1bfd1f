import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../../common/clock';
import { notFoundError } from '../../../common/errors';
import { generateId } from '../../../common/ids';
import { getCurrentTraceparent } from '../../../common/request-context';
import { mapPage, type Page } from '../../../common/pages';
import { EVENT_TYPES, EventOutboxService, type EventType, type LogSearch } from '../../../core/events';
import { UnitOfWork } from '../../../core/database';
import { EventQuota } from '../../accounts';
import { canReceive } from '../../event-access';
import { EndpointWorkerScheduler } from '../dispatch/endpoint-worker-scheduler';
import { EndpointQueuesRepository } from '../dispatch/endpoint-queues.repository';
import { EventBacklogService } from '../dispatch/event-backlog.service';
import { PendingDeliveriesRepository } from '../dispatch/pending-deliveries.repository';
import { SubscriptionAccessResolver } from '../dispatch/subscription-access-resolver';
import type { SubscribedEvent } from '../subscriptions/webhook.response.dto';
import { WebhooksService } from '../subscriptions/webhooks.service';
import { toAttemptStatistics, type AttemptSearch, type AttemptStatistics } from './attempt-summary';
import { AttemptsRepository } from './attempts.repository';
import {
  DeliveriesRepository,
  type ReplayableDeliveryRow,
  type DeliveryContentRow,
  type ReplayWindow,
} from './deliveries.repository';
import type { ListDeliveriesQueryDto } from './deliveries.dto';
import {
  readDeliverySubject,
  toDeliveryDto,
  toDeliveryWithAttemptsDto,
  type DeliveryDto,
  type DeliverySubject,
  type DeliveryWithAttemptsDto,
} from './delivery.response.dto';

const REPLAY_BATCH = 2_000;
/** Batches of the log that one call reads for events that a webhook has missed, from the first of these on. */
const MAX_LOG_BATCHES = 10;
/** Newest attempts that the statistics of a webhook read. */
export const MAX_SUMMARIZED_ATTEMPTS = 50_000;
/** Events younger than this may still be on their way to a delivery. */
const FAN_OUT_MS = 10 * SECOND;

/** How many deliveries a replay has added, and whether others have to wait until these have been delivered. */
export interface ReplayResult {
  count: number;
  hasMore: boolean;
}

/** Reads a webhook's delivery log and replays deliveries for the account's owner. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly webhooks: WebhooksService,
    private readonly eventQuota: EventQuota,
    private readonly deliveries: DeliveriesRepository,
    private readonly attempts: AttemptsRepository,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly pendingDeliveries: PendingDeliveriesRepository,
    private readonly subscriptionAccessResolver: SubscriptionAccessResolver,
    private readonly eventBacklog: EventBacklogService,
    private readonly eventOutboxService: EventOutboxService,
    private readonly endpointWorkerScheduler: EndpointWorkerScheduler,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiError} `not_found` when the webhook doesn't exist */
  async listDeliveries(
    accountId: string,
    webhookId: string,
    query: ListDeliveriesQueryDto,
  ): Promise<Page<DeliveryDto>> {
    await this.requireWebhook(accountId, webhookId);
    return mapPage(await this.deliveries.findPage(webhookId, query), toDeliveryDto);
  }

  /**
   * Returns the subjects of the deliveries' events, by the delivery's ID. Events without a session or machine have
   * none.
   * @throws {ApiError} `not_found` when the webhook doesn't exist
   */
  async findDeliverySubjects(
    accountId: string,
    webhookId: string,
    ids: readonly string[],
  ): Promise<Map<string, DeliverySubject>> {
    await this.requireWebhook(accountId, webhookId);
    const subjects = new Map<string, DeliverySubject>();
    for (const { id, payload } of await this.deliveries.findPayloads(webhookId, ids)) {
      const subject = readDeliverySubject(payload);
      if (subject) subjects.set(id, subject);
    }
    return subjects;
  }

  /**
   * Returns when the open circuit breaker of the endpoint lets the next attempt through, null while it is closed, and
   * when the next delivery is due, null while none is pending; in Unix ms.
   * @throws {ApiError} `not_found` when the webhook doesn't exist
   */
  async findDueTimes(accountId: string, webhookId: string): Promise<{ probeAt: number | null; dueAt: number | null }> {
    await this.requireWebhook(accountId, webhookId);
    const { probeAt, dueAt } = await this.endpointQueues.findDueTimes(webhookId);
    return { probeAt: probeAt?.getTime() ?? null, dueAt: dueAt?.getTime() ?? null };
  }

  /**
   * Returns how many of the newest attempts succeeded, and how long the responses took.
   * @throws {ApiError} `not_found` when the webhook doesn't exist
   */
  async summarizeAttempts(accountId: string, webhookId: string, search: AttemptSearch): Promise<AttemptStatistics> {
    await this.requireWebhook(accountId, webhookId);
    const rows = await this.attempts.summarize(webhookId, search, MAX_SUMMARIZED_ATTEMPTS);
    return toAttemptStatistics(rows, search.slotMs);
  }

  /**
   * Returns the delivery with its attempts.
   * @throws {ApiError} `not_found`
   */
  async getDelivery(accountId: string, webhookId: string, id: string): Promise<DeliveryWithAttemptsDto> {
    await this.requireWebhook(accountId, webhookId);
    const row = await this.deliveries.find(webhookId, id);
    if (!row) throw notFoundError('delivery');
    return toDeliveryWithAttemptsDto(row, await this.attempts.findByDelivery(webhookId, id));
  }

  /**
   * Returns the content that every attempt sends.
   * @throws {ApiError} `not_found`
   */
  async getDeliveryContent(accountId: string, webhookId: string, id: string): Promise<DeliveryContentRow> {
    await this.requireWebhook(accountId, webhookId);
    const row = await this.deliveries.findContent(webhookId, id);
    if (!row) throw notFoundError('delivery');
    return row;
  }

  /**
   * Creates a new delivery of the same event, whatever the state of the old one.
   * @throws {ApiError} `not_found`, `plan_limit_exceeded`
   */
  replayDelivery(accountId: string, webhookId: string, id: string): Promise<DeliveryDto> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.lockEndpointQueue(webhookId);
      const row = await this.getDeliveryContent(accountId, webhookId, id);
      const [copyId] = await this.insertReplays(accountId, webhookId, [row]);
      return toDeliveryDto((await this.deliveries.find(webhookId, copyId!))!);
    });
  }

  /**
   * Replays events since then: those whose latest delivery failed, and those that the webhook has missed.
   * @throws {ApiError} `not_found`, `plan_limit_exceeded`
   */
  async replayEvents(accountId: string, webhookId: string, since: Date): Promise<ReplayResult> {
    const failed = await this.replayFailedDeliveries(accountId, webhookId, since);
    const missed = await this.replayMissedEvents(accountId, webhookId, since);
    return { count: failed.count + missed.count, hasMore: failed.hasMore || missed.hasMore };
  }

  /**
   * Replays every event since then whose latest delivery failed, once even under concurrent calls, oldest first, while
   * the webhook has room for them. Runs in batches with a transaction each, so a repeated call continues after an
   * interruption.
   * @param recordBatch called in the transaction of each batch that replays a delivery
   * @throws {ApiError} `not_found`, `plan_limit_exceeded`
   */
  async replayFailedDeliveries(
    accountId: string,
    webhookId: string,
    since: Date,
    recordBatch?: () => Promise<void>,
  ): Promise<ReplayResult> {
    await this.requireWebhook(accountId, webhookId);
    const replayWindow = { from: since, afterId: '', until: this.clock.currentDate() };
    for (let count = 0; ;) {
      const batch = await this.replayFailedBatch(accountId, webhookId, replayWindow, recordBatch);
      const { replayed, hasMore, isFull } = batch;
      count += replayed.length;
      const last = replayed.at(-1);
      if (!last || !hasMore || isFull) return { count, hasMore };
      Object.assign(replayWindow, { from: last.created_at, afterId: last.id });
    }
  }

  /**
   * Sends the events since then that the webhook has missed, for example while it was disabled: those that it
   * subscribes to and may receive, that the log still has, and of which it has no delivery, but not that it was
   * disabled. At most as many as a replay may add.
   * @throws {ApiError} `not_found`, `plan_limit_exceeded`
   */
  private async replayMissedEvents(accountId: string, webhookId: string, since: Date): Promise<ReplayResult> {
    const { events, createdAt } = await this.webhooks.getWebhook({ accountId, appId: null }, webhookId);
    await this.eventQuota.requireCapacity(accountId);
    const until = new Date(this.clock.now() - FAN_OUT_MS);
    const types = await this.findReceivableTypes(webhookId, events);
    const except = { type: 'webhook.disabled', recordId: webhookId };
    const search = { accountId, types, since: new Date(Math.max(since.getTime(), createdAt)), until, except };
    let afterId = '';
    let count = 0;
    for (let batches = 0; batches < MAX_LOG_BATCHES;) {
      const ids = await this.eventOutboxService.findLoggedEvents(search, afterId, REPLAY_BATCH);
      const { added, isFull } = await this.addMissedEvents(search, ids, webhookId);
      count += added;
      if (isFull || ids.length < REPLAY_BATCH) return { count, hasMore: isFull };
      // A repeated call begins with what earlier ones have added, and must get to what follows it.
      if (count > 0) batches++;
      afterId = ids.at(-1)!;
    }
    return { count, hasMore: true };
  }

  /**
   * Adds those of the logged events of which the webhook has neither a delivery nor a place in the backlog or outbox.
   * Concurrent calls add each once: under the lock of the queue, an event is in one of them or in none.
   */
  private addMissedEvents(search: LogSearch, ids: readonly string[], webhookId: string) {
    return this.unitOfWork.runInTransaction(async () => {
      await this.eventOutboxService.lockFanOut(ids);
      await this.lockEndpointQueue(webhookId);
      const waiting = new Set(await this.eventOutboxService.findWaitingEvents(search.accountId, webhookId));
      const undelivered = await this.deliveries.findUndelivered(webhookId, ids);
      const missed = undelivered.filter((id) => !waiting.has(id));
      const room = Math.max(0, (await this.eventBacklog.countReplayCapacity(webhookId)) - waiting.size);
      const added = missed.slice(0, room);
      if (added.length > 0) await this.eventOutboxService.addLoggedEvents(search, added, webhookId);
      return { added: added.length, isFull: added.length < missed.length };
    });
  }

  /** Returns the subscribed types that the webhook's creator may see. The fan-out drops events of others. */
  private async findReceivableTypes(webhookId: string, events: readonly SubscribedEvent[]): Promise<EventType[]> {
    const [endpoint] = await this.pendingDeliveries.findEndpoints([webhookId]);
    const owner = endpoint && (await this.subscriptionAccessResolver.resolveOwner(endpoint));
    if (!owner) return [];
    const subscribed = events.includes('*') ? EVENT_TYPES : EVENT_TYPES.filter((type) => events.includes(type));
    return subscribed.filter((type) => canReceive(owner, type));
  }

  private replayFailedBatch(
    accountId: string,
    webhookId: string,
    replayWindow: ReplayWindow,
    recordBatch?: () => Promise<void>,
  ) {
    return this.unitOfWork.runInTransaction(async () => {
      await this.lockEndpointQueue(webhookId);
      const limit = Math.min(REPLAY_BATCH, await this.eventBacklog.countReplayCapacity(webhookId));
      const failed = await this.deliveries.findFailed(webhookId, replayWindow, limit + 1);
      const replayed = failed.slice(0, limit);
      if (replayed.length > 0) {
        await this.insertReplays(accountId, webhookId, replayed);
        await recordBatch?.();
      }
      return { replayed, hasMore: failed.length > limit, isFull: limit < REPLAY_BATCH };
    });
  }

  private async lockEndpointQueue(webhookId: string): Promise<void> {
    const [lockedQueue] = await this.endpointQueues.lockEndpointQueues([webhookId]);
    if (!lockedQueue) throw notFoundError('webhook');
  }

  /** Inserts deliveries into a locked endpoint queue. Returns their ids in the order of the rows. */
  private async insertReplays(
    accountId: string,
    webhookId: string,
    rows: readonly ReplayableDeliveryRow[],
  ): Promise<string[]> {
    await this.eventQuota.requireCapacity(accountId);
    const now = this.clock.currentDate();
    const copies = rows.map(({ event_id: eventId, type, payload }) => ({
      id: generateId('dlv'),
      webhookId,
      eventId,
      type,
      payload,
      traceparent: getCurrentTraceparent() ?? null,
      nextAttemptAt: now,
      createdAt: now,
    }));
    await this.deliveries.insert(copies);
    await this.endpointQueues.refreshDueTimes([webhookId]);
    this.unitOfWork.afterCommit(() => {
      for (const { payload } of copies) this.eventQuota.addPayload(accountId, payload);
      this.endpointWorkerScheduler.triggerWorker(webhookId);
    });
    return copies.map(({ id }) => id);
  }

  private async requireWebhook(accountId: string, webhookId: string): Promise<void> {
    await this.webhooks.getWebhook({ accountId, appId: null }, webhookId);
  }
}
