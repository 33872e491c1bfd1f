import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { notFoundError } from '../../../common/errors';
import { generateId } from '../../../common/ids';
import { getCurrentTraceparent } from '../../../common/request-context';
import { mapPage, type Page } from '../../../common/pages';
import { UnitOfWork } from '../../../core/database';
import { EndpointWorkerScheduler } from '../dispatch/endpoint-worker-scheduler';
import { EndpointQueuesRepository } from '../dispatch/endpoint-queues.repository';
import { WebhooksService } from '../subscriptions/webhooks.service';
import { AttemptsRepository } from './attempts.repository';
import {
  DeliveriesRepository,
  type FailedDeliveryRow,
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

/** Reads a webhook's delivery log and replays deliveries for the account's owner. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesRepository,
    private readonly attempts: AttemptsRepository,
    private readonly endpointQueues: EndpointQueuesRepository,
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
   * @throws {ApiError} `not_found`
   */
  replayDelivery(accountId: string, webhookId: string, id: string): Promise<DeliveryDto> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.lockEndpointQueue(webhookId);
      const row = await this.getDeliveryContent(accountId, webhookId, id);
      const [copyId] = await this.insertReplays(webhookId, [row]);
      return toDeliveryDto((await this.deliveries.find(webhookId, copyId!))!);
    });
  }

  /**
   * Replays every event since then whose latest delivery failed, once even under concurrent calls. Runs in batches with
   * a transaction each, so a repeated call continues after an interruption.
   * @param recordBatch called in the transaction of each batch that replays a delivery
   * @throws {ApiError} `not_found`
   */
  async replayFailedDeliveries(
    accountId: string,
    webhookId: string,
    since: Date,
    recordBatch?: () => Promise<void>,
  ): Promise<number> {
    await this.requireWebhook(accountId, webhookId);
    const replayWindow = { from: since, afterId: '', until: this.clock.currentDate() };
    for (let count = 0; ;) {
      const failed = await this.replayFailedBatch(webhookId, replayWindow, recordBatch);
      count += failed.length;
      const last = failed.at(-1);
      if (!last || failed.length < REPLAY_BATCH) return count;
      Object.assign(replayWindow, { from: last.created_at, afterId: last.id });
    }
  }

  private replayFailedBatch(
    webhookId: string,
    replayWindow: ReplayWindow,
    recordBatch?: () => Promise<void>,
  ): Promise<FailedDeliveryRow[]> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.lockEndpointQueue(webhookId);
      const failed = await this.deliveries.findFailed(webhookId, replayWindow, REPLAY_BATCH);
      if (failed.length === 0) return failed;
      await this.insertReplays(webhookId, failed);
      await recordBatch?.();
      return failed;
    });
  }

  private async lockEndpointQueue(webhookId: string): Promise<void> {
    const [lockedQueue] = await this.endpointQueues.lockEndpointQueues([webhookId]);
    if (!lockedQueue) throw notFoundError('webhook');
  }

  /** Inserts deliveries into a locked endpoint queue. Returns their ids in the order of the rows. */
  private async insertReplays(webhookId: string, rows: readonly ReplayableDeliveryRow[]): Promise<string[]> {
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
    this.unitOfWork.afterCommit(() => this.endpointWorkerScheduler.triggerWorker(webhookId));
    return copies.map(({ id }) => id);
  }

  private async requireWebhook(accountId: string, webhookId: string): Promise<void> {
    await this.webhooks.getWebhook({ accountId, appId: null }, webhookId);
  }
}
