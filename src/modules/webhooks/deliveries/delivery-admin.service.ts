import { Injectable } from '@nestjs/common';
import { AuditRecorder, type AuditActName } from '../../../access/audit';
import { Clock } from '../../../common/clock';
import { UnitOfWork } from '../../../core/database';
import { EndpointQueuesRepository } from '../dispatch/endpoint-queues.repository';
import { EventBacklogService } from '../dispatch/event-backlog.service';
import { DeliveriesService } from './deliveries.service';
import { DeliveryAdminRepository, type DeliverySearch, type DeliveryTarget } from './delivery-admin.repository';
import { toDeliveryDto, type DeliveryDto } from './delivery.response.dto';

const CANCELLATION_BATCH_SIZE = 1_000;

/** Which deliveries an operator's command concerns. Exactly one member is given. */
export interface DeliverySelection {
  accountId?: string;
  webhookId?: string;
  deliveryId?: string;
}

/** Delivery with its webhook. */
export interface WebhookDelivery extends DeliveryDto {
  webhookId: string;
}

/** Lists, replays and cancels deliveries of any account, for operators. */
@Injectable()
export class DeliveryAdminService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: DeliveryAdminRepository,
    private readonly deliveries: DeliveriesService,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly eventBacklog: EventBacklogService,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /** Returns the webhooks that the selection concerns, or null if the webhook or the delivery doesn't exist. */
  findTarget({ accountId, webhookId, deliveryId }: DeliverySelection): Promise<DeliveryTarget | null> {
    if (webhookId !== undefined) return this.repository.findWebhook(webhookId);
    if (deliveryId !== undefined) return this.repository.findWebhookOfDelivery(deliveryId);
    return this.repository.findWebhooksOfAccount(accountId!);
  }

  /** Returns the newest deliveries that match, at most `limit`. */
  async findDeliveries({ webhookIds }: DeliveryTarget, search: DeliverySearch): Promise<WebhookDelivery[]> {
    const rows = await this.repository.findDeliveries(webhookIds, search);
    return rows.map((row) => ({ webhookId: row.webhook_id, ...toDeliveryDto(row) }));
  }

  /** Replays one delivery, whatever its state, like its owner's call. Returns the id of the new one. */
  replayDelivery({ accountId, webhookIds: [webhookId] }: DeliveryTarget, deliveryId: string): Promise<string> {
    return this.unitOfWork.runInTransaction(async () => {
      const { id } = await this.deliveries.replayDelivery(accountId, webhookId!, deliveryId);
      await this.recordAct('webhook.deliveries_replayed', accountId, webhookId!);
      return id;
    });
  }

  /** Returns how many deliveries `replayFailedDeliveries` would replay. */
  countReplayable({ webhookIds }: DeliveryTarget, since: Date): Promise<number> {
    return sumOverWebhooks(webhookIds, (id) => this.repository.countReplayable(id, since));
  }

  /** Replays the events whose latest delivery failed, like the owner's call. Returns the number of new deliveries. */
  replayFailedDeliveries({ accountId, webhookIds }: DeliveryTarget, since: Date): Promise<number> {
    return sumOverWebhooks(webhookIds, async (webhookId) => {
      const record = () => this.recordAct('webhook.deliveries_replayed', accountId, webhookId);
      return (await this.deliveries.replayFailedDeliveries(accountId, webhookId, since, record)).count;
    });
  }

  countPending({ webhookIds }: DeliveryTarget, eventId: string | null): Promise<number> {
    return sumOverWebhooks(webhookIds, (id) => this.repository.countPending(id, eventId));
  }

  /** Cancels pending deliveries, in batches with a transaction each. Attempts in flight finish, but aren't repeated. */
  cancelPendingDeliveries({ accountId, webhookIds }: DeliveryTarget, eventId: string | null): Promise<number> {
    return sumOverWebhooks(webhookIds, async (webhookId) => {
      for (let count = 0; ;) {
        const batch = await this.cancelBatch(accountId, webhookId, eventId);
        count += batch.count;
        if (!batch.hasMore) return count;
      }
    });
  }

  private cancelBatch(accountId: string, webhookId: string, eventId: string | null) {
    return this.unitOfWork.runInTransaction(async () => {
      await this.endpointQueues.lockEndpointQueues([webhookId]);
      const now = this.clock.currentDate();
      // Events of the backlog become deliveries first, so that the log shows that they were cancelled.
      const moved = await this.eventBacklog.moveEvents(webhookId, CANCELLATION_BATCH_SIZE);
      const count = await this.repository.cancelPending(webhookId, eventId, now, CANCELLATION_BATCH_SIZE);
      if (moved.created + count > 0) await this.endpointQueues.refreshDueTimes([webhookId]);
      if (count > 0) await this.recordAct('webhook.deliveries_cancelled', accountId, webhookId);
      return { count, hasMore: moved.hasMore || count === CANCELLATION_BATCH_SIZE };
    });
  }

  private recordAct(act: AuditActName, accountId: string, targetId: string): Promise<void> {
    return this.auditRecorder.recordActs({ act, accountId, targetId });
  }
}

/** Works on one webhook after the other, so that a queue is locked only while its own deliveries change. */
async function sumOverWebhooks(
  webhookIds: readonly string[],
  countOne: (webhookId: string) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const webhookId of webhookIds) sum += await countOne(webhookId);
  return sum;
}
