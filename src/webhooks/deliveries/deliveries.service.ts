import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { notFound } from '../../common/errors';
import { newId } from '../../common/ids';
import { currentTraceparent } from '../../common/trace';
import { mapPage, type Page } from '../../common/pages';
import { UnitOfWork } from '../../persistence';
import { Dispatcher } from '../engine/dispatcher';
import { LanesRepository } from '../engine/lanes.repository';
import { WebhooksService } from '../subscriptions/webhooks.service';
import { AttemptsRepository } from './attempts.repository';
import {
  DeliveriesRepository,
  type FailedRow,
  type ReplayableRow,
  type SentRow,
  type Span,
} from './deliveries.repository';
import type { DeliveryQuery } from './deliveries.dto';
import {
  toDeliveryRecord,
  toDeliveryWithLogRecord,
  type DeliveryRecord,
  type DeliveryWithLogRecord,
} from './delivery-record';

const REPLAY_BATCH = 2_000;

/** The delivery log of a webhook, for the account's owner, and what can be sent again. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesRepository,
    private readonly attempts: AttemptsRepository,
    private readonly lanes: LanesRepository,
    private readonly dispatcher: Dispatcher,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404 for the webhook */
  async list(accountId: string, webhookId: string, query: DeliveryQuery): Promise<Page<DeliveryRecord>> {
    await this.requireWebhook(accountId, webhookId);
    return mapPage(await this.deliveries.page(webhookId, query), toDeliveryRecord);
  }

  /** With every try. @throws ApiError 404 */
  async get(accountId: string, webhookId: string, id: string): Promise<DeliveryWithLogRecord> {
    await this.requireWebhook(accountId, webhookId);
    const row = await this.deliveries.find(webhookId, id);
    if (!row) throw notFound('delivery');
    return toDeliveryWithLogRecord(row, await this.attempts.ofDelivery(webhookId, id));
  }

  /** What every try of it sends. @throws ApiError 404 */
  async sent(accountId: string, webhookId: string, id: string): Promise<SentRow> {
    await this.requireWebhook(accountId, webhookId);
    const row = await this.deliveries.findSent(webhookId, id);
    if (!row) throw notFound('delivery');
    return row;
  }

  /** The same event once more, whatever became of it, as a delivery of its own. @throws ApiError 404 */
  replay(accountId: string, webhookId: string, id: string): Promise<DeliveryRecord> {
    return this.unitOfWork.run(async () => {
      await this.lockLane(webhookId);
      const row = await this.sent(accountId, webhookId, id);
      const [copy] = await this.insert(webhookId, [row]);
      return toDeliveryRecord((await this.deliveries.find(webhookId, copy!))!);
    });
  }

  /**
   * Every event from then until now of which the last delivery failed, once, whoever else asks meanwhile. A batch at a
   * time, each in its own transaction: asked again it goes on where it was broken off.
   * @throws ApiError 404
   */
  async replayFailed(accountId: string, webhookId: string, since: Date): Promise<number> {
    await this.requireWebhook(accountId, webhookId);
    const span = { from: since, afterId: '', until: this.clock.date() };
    for (let count = 0; ;) {
      const failed = await this.replayBatch(webhookId, span);
      count += failed.length;
      const last = failed.at(-1);
      if (!last || failed.length < REPLAY_BATCH) return count;
      Object.assign(span, { from: last.created_at, afterId: last.id });
    }
  }

  private replayBatch(webhookId: string, span: Span): Promise<FailedRow[]> {
    return this.unitOfWork.run(async () => {
      await this.lockLane(webhookId);
      const failed = await this.deliveries.failed(webhookId, span, REPLAY_BATCH);
      if (failed.length > 0) await this.insert(webhookId, failed);
      return failed;
    });
  }

  private async lockLane(webhookId: string): Promise<void> {
    const [lane] = await this.lanes.lock([webhookId]);
    if (!lane) throw notFound('webhook');
  }

  /** Into a locked lane. Their ids, in the rows' order. */
  private async insert(webhookId: string, rows: readonly ReplayableRow[]): Promise<string[]> {
    const now = this.clock.date();
    const copies = rows.map(({ event_id: eventId, type, payload }) => ({
      id: newId('dlv'),
      webhookId,
      eventId,
      type,
      payload,
      traceparent: currentTraceparent() ?? null,
      nextAttemptAt: now,
      createdAt: now,
    }));
    await this.deliveries.insert(copies);
    await this.lanes.refreshDue([webhookId]);
    this.unitOfWork.afterCommit(() => this.dispatcher.nudge([webhookId]));
    return copies.map(({ id }) => id);
  }

  private async requireWebhook(accountId: string, webhookId: string): Promise<void> {
    await this.webhooks.get({ accountId, appId: null }, webhookId);
  }
}
