import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { generateId } from '../../../common/ids';
import { EventOutboxService, type OutboxRow } from '../../../core/events';
import { EventQuota } from '../../accounts';
import { canReceive, EventPayloadService } from '../../event-access';
import { UnitOfWork } from '../../../core/database';
import { DeliveriesRepository, type NewDelivery } from '../deliveries/deliveries.repository';
import { EndpointQueuesRepository } from './endpoint-queues.repository';
import { EventBacklogService } from './event-backlog.service';
import { PendingDeliveriesRepository } from './pending-deliveries.repository';
import { RetryPolicy } from './retry-policy';
import { SubscriptionAccessResolver } from './subscription-access-resolver';
import { WebhookDisabler } from './webhook-disabler';

const EVENT_BATCH_SIZE = 200;

export interface FanOutResult {
  /** Webhooks with new deliveries, each with the time of the earliest first attempt. */
  dueTimes: ReadonlyMap<string, Date>;
  /** Whether there may be more events. */
  hasMore: boolean;
}

/** Creates one delivery per event and subscribed webhook, or adds the event to the backlog of the webhook. */
@Injectable()
export class FanOutWorker {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventOutboxService: EventOutboxService,
    private readonly eventQuota: EventQuota,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly pendingDeliveries: PendingDeliveriesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly subscriptionAccessResolver: SubscriptionAccessResolver,
    private readonly eventPayloadService: EventPayloadService,
    private readonly retryPolicy: RetryPolicy,
    private readonly eventBacklog: EventBacklogService,
    private readonly webhookDisabler: WebhookDisabler,
    private readonly clock: Clock,
  ) {}

  /** Fans out a batch of events in one transaction. */
  fanOutBatch(): Promise<FanOutResult> {
    return this.unitOfWork.runInTransaction(async () => {
      const { events, hasMore } = await this.eventOutboxService.takeEvents(EVENT_BATCH_SIZE);
      const matchedWebhookIds = [...new Set(events.flatMap((event) => event.webhook_ids))];
      // Build the deliveries before locking the endpoint queues, to lock them briefly.
      const deliveries = await this.buildDeliveries(events, matchedWebhookIds);
      // Locked until commit. Otherwise a concurrent lease release would miss the deliveries inserted here.
      const lockedQueues = await this.endpointQueues.lockEndpointQueues(matchedWebhookIds);
      const webhookIds = new Set(lockedQueues.map(({ webhookId }) => webhookId));
      const newDeliveries = deliveries.filter(({ webhookId }) => webhookIds.has(webhookId));
      const { created, waiting, fullWebhookIds } = await this.eventBacklog.planDeliveries(newDeliveries, lockedQueues);
      if (created.length > 0) {
        await this.deliveries.insert(created);
        await this.endpointQueues.includeDueTimes(findDueTimes(created));
      }
      for (const accountId of new Set(waiting.length > 0 ? events.map((event) => event.account_id) : [])) {
        const own = events.filter((event) => event.account_id === accountId);
        await this.eventBacklog.addWaiting(waiting, own);
      }
      for (const webhookId of fullWebhookIds) {
        await this.webhookDisabler.disableWebhook({ webhookId, reason: 'too_many_pending' });
      }
      this.unitOfWork.afterCommit(() => this.chargeDeliveries(newDeliveries, events));
      return { dueTimes: findDueTimes([...created, ...waiting]), hasMore };
    });
  }

  private chargeDeliveries(deliveries: readonly NewDelivery[], events: readonly OutboxRow[]): void {
    const accountIds = new Map(events.map((event) => [event.id, event.account_id]));
    for (const { eventId, payload } of deliveries) this.eventQuota.addPayload(accountIds.get(eventId)!, payload);
  }

  private async buildDeliveries(events: OutboxRow[], webhookIds: string[]): Promise<NewDelivery[]> {
    const now = this.clock.now();
    const deliveries: NewDelivery[] = [];
    for (const endpoint of await this.pendingDeliveries.findEndpoints(webhookIds)) {
      const owner = await this.subscriptionAccessResolver.resolveOwner(endpoint);
      const receivableEvents = events.filter(
        (event) => event.webhook_ids.includes(endpoint.id) && owner && canReceive(owner, event.type),
      );
      const payloads = owner
        ? await this.eventPayloadService.renderPayloads(receivableEvents, owner)
        : new Map<string, string>();
      for (const event of receivableEvents) {
        deliveries.push({
          id: generateId('dlv'),
          webhookId: endpoint.id,
          eventId: event.id,
          type: event.type,
          payload: payloads.get(event.id) ?? event.payload,
          traceparent: event.traceparent,
          nextAttemptAt: this.retryPolicy.getFirstAttemptAt(now),
          createdAt: new Date(now),
        });
      }
    }
    return deliveries;
  }
}

/** Returns the earliest first attempt by webhook id. */
function findDueTimes(deliveries: readonly NewDelivery[]): Map<string, Date> {
  const dueTimes = new Map<string, Date>();
  for (const { webhookId, nextAttemptAt } of deliveries) {
    const earliest = dueTimes.get(webhookId);
    if (!earliest || nextAttemptAt < earliest) dueTimes.set(webhookId, nextAttemptAt);
  }
  return dueTimes;
}
