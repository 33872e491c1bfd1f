import { Injectable } from '@nestjs/common';
import { ArtifactContentPolicy } from '../../artifacts';
import { Clock } from '../../../common/clock';
import { generateId } from '../../../common/ids';
import { EventOutboxService, type OutboxRow } from '../../../core/events';
import { UnitOfWork } from '../../../core/database';
import { SessionContentPolicy } from '../../sessions';
import { DeliveriesRepository, type NewDelivery } from '../deliveries/deliveries.repository';
import type { WebhookOwner } from '../subscriptions/webhook-owner';
import { canReceive } from '../subscriptions/event-access';
import { EndpointQueuesRepository } from './endpoint-queues.repository';
import { PendingDeliveriesRepository } from './pending-deliveries.repository';
import { RetryPolicy } from './retry-policy';
import { SubscriptionAccessResolver } from './subscription-access-resolver';

const EVENT_BATCH_SIZE = 200;

/** Creates one delivery per event and subscribed webhook. */
@Injectable()
export class FanOutWorker {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventOutboxService: EventOutboxService,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly pendingDeliveries: PendingDeliveriesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly subscriptionAccessResolver: SubscriptionAccessResolver,
    private readonly sessions: SessionContentPolicy,
    private readonly artifacts: ArtifactContentPolicy,
    private readonly retryPolicy: RetryPolicy,
    private readonly clock: Clock,
  ) {}

  /**
   * Fans out a batch of events in one transaction. Returns the webhooks with new deliveries and whether there may be
   * more events.
   */
  fanOutBatch(): Promise<{ webhookIds: string[]; hasMore: boolean }> {
    return this.unitOfWork.runInTransaction(async () => {
      const events = await this.eventOutboxService.takeEvents(EVENT_BATCH_SIZE);
      const matchedWebhookIds = [...new Set(events.flatMap((event) => event.webhook_ids))];
      // Build the deliveries before locking the endpoint queues, to lock them briefly.
      const deliveries = await this.buildDeliveries(events, matchedWebhookIds);
      // Locked until commit. Otherwise a concurrent lease release would miss the deliveries inserted here.
      const lockedQueues = await this.endpointQueues.lockEndpointQueues(matchedWebhookIds);
      const webhookIds = lockedQueues.map(({ webhookId }) => webhookId);
      const newDeliveries = deliveries.filter(({ webhookId }) => webhookIds.includes(webhookId));
      if (newDeliveries.length > 0) {
        await this.deliveries.insert(newDeliveries);
        await this.endpointQueues.refreshDueTimes(webhookIds);
      }
      return { webhookIds, hasMore: events.length === EVENT_BATCH_SIZE };
    });
  }

  private async buildDeliveries(events: OutboxRow[], webhookIds: string[]): Promise<NewDelivery[]> {
    const now = this.clock.now();
    const deliveries: NewDelivery[] = [];
    for (const endpoint of await this.pendingDeliveries.findEndpoints(webhookIds)) {
      const owner = await this.subscriptionAccessResolver.resolveOwner(endpoint);
      const receivableEvents = events.filter(
        (event) => event.webhook_ids.includes(endpoint.id) && owner && canReceive(owner, event.type),
      );
      const payloads = await this.buildPayloads(receivableEvents, owner);
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

  /**
   * Returns the payloads of sessions and artifacts whose content the owner may read, by event id. The payloads of all
   * other events stay as recorded (docs/protocol/webhooks.md#events).
   */
  private async buildPayloads(events: OutboxRow[], owner: WebhookOwner | null): Promise<Map<string, string>> {
    const payloadsByEvent = new Map<string, string>();
    const parsed = events
      .filter(({ type }) => /^(session|artifact)\./.test(type))
      .map((event) => ({ event, content: JSON.parse(event.payload) as EventPayload }));
    if (!owner || parsed.length === 0) return payloadsByEvent;
    const collectIds = (kind: string) =>
      parsed.filter(({ event }) => event.type.startsWith(kind)).map(({ content }) => content.data.id);
    const readableIds = new Set([
      ...(await this.sessions.findReadableSessionIds(owner, collectIds('session.'))),
      ...(await this.artifacts.findReadableArtifactIds(owner, collectIds('artifact.'))),
    ]);
    for (const { event, content } of parsed.filter((each) => readableIds.has(each.content.data.id))) {
      content.data.contentGranted = true;
      payloadsByEvent.set(event.id, JSON.stringify(content));
    }
    return payloadsByEvent;
  }
}

interface EventPayload {
  data: { id: string; contentGranted: boolean };
}
