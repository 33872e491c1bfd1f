import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../../common/clock';
import { generateId } from '../../../common/ids';
import { UnitOfWork } from '../../../core/database';
import { EventPayloadService } from '../../event-access';
import { DeliveriesRepository, type NewDelivery } from '../deliveries/deliveries.repository';
import { EndpointQueuesRepository, type EndpointLease } from './endpoint-queues.repository';
import {
  EventBacklogRepository,
  type BacklogEntry,
  type BacklogEvent,
  type QueueLoad,
} from './event-backlog.repository';
import { PendingDeliveriesRepository } from './pending-deliveries.repository';
import { RetryPolicy } from './retry-policy';
import { SubscriptionAccessResolver } from './subscription-access-resolver';

/** Due deliveries of a webhook beyond which events wait in the backlog (docs/protocol/webhooks.md#backlog). */
export const MAX_DUE_DELIVERIES = 100;
/** The same while the last attempt was not successful, or there was none: enough to keep its attempts in flight. */
const MAX_UNACCEPTED_DELIVERIES = 20;
/** Pending deliveries of a webhook, those of the backlog included, beyond which it is disabled. */
const MAX_PENDING_DELIVERIES = 10_000;
/** The same beyond which a replay adds none, so that new events have room. */
const MAX_REPLAYED_DELIVERIES = 8_000;
/** How long a count of pending deliveries is used. Meanwhile, only retries add to them. */
const COUNT_LIFETIME_MS = 10 * SECOND;
const MAX_KNOWN_COUNTS = 10_000;
/** Entries that become deliveries at once. An entry has up to 200 events. */
const MAX_ENTRIES = 20;
/** Time until the backlog is looked at again while enough deliveries are due. */
const BUSY_DELAY_MS = SECOND;

/** Where the new deliveries of locked queues go. */
export interface DeliveryPlan {
  /** Deliveries that are created now. */
  created: NewDelivery[];
  /** Deliveries that are created later, from the backlog. */
  waiting: NewDelivery[];
  /** Webhooks that have too many pending deliveries to get the others. */
  fullWebhookIds: string[];
}

/**
 * Keeps the queues of webhooks short: a queue with enough due deliveries gets the next ones when these are done. Until
 * then their events wait in the backlog, which stores each event once for all webhooks of the account.
 */
@Injectable()
export class EventBacklogService {
  private readonly pendingCounts = new Map<string, { count: number; countedAt: number }>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly backlog: EventBacklogRepository,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly pendingDeliveries: PendingDeliveriesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly subscriptionAccessResolver: SubscriptionAccessResolver,
    private readonly eventPayloadService: EventPayloadService,
    private readonly retryPolicy: RetryPolicy,
    private readonly clock: Clock,
  ) {}

  /** Divides new deliveries of locked queues. */
  async planDeliveries(newDeliveries: readonly NewDelivery[], queues: readonly EndpointLease[]): Promise<DeliveryPlan> {
    const plan: DeliveryPlan = { created: [], waiting: [], fullWebhookIds: [] };
    const loads = await this.readLoads(queues.map(({ webhookId }) => webhookId));
    for (const [webhookId, load] of loads) {
      const { backlogEvents } = load;
      const own = newDeliveries.filter((delivery) => delivery.webhookId === webhookId);
      if (own.length === 0) continue;
      const capacity = await this.getCapacity(webhookId, backlogEvents, own.length);
      if (capacity < own.length) plan.fullWebhookIds.push(webhookId);
      const accepted = own.slice(0, capacity);
      const room = backlogEvents > 0 ? 0 : Math.max(0, getRoom(load));
      const created = accepted.slice(0, room);
      this.addToCount(webhookId, created.length);
      plan.created.push(...created);
      plan.waiting.push(...accepted.slice(room));
    }
    return plan;
  }

  /**
   * Adds the events of deliveries to the backlog, in the caller's transaction, with their queues locked.
   * @param events of one account
   */
  async addWaiting(waiting: readonly NewDelivery[], events: readonly BacklogEvent[]): Promise<void> {
    const waitingIds = new Set(waiting.map(({ eventId }) => eventId));
    const waitingEvents = events.filter(({ id }) => waitingIds.has(id)).map(toBacklogEvent);
    if (waitingEvents.length === 0) return;
    const positionsById = new Map(waitingEvents.map(({ id }, position) => [id, position]));
    const positions = new Map<string, number[]>();
    for (const { webhookId, eventId } of waiting) {
      const position = positionsById.get(eventId);
      if (position === undefined) continue;
      positions.set(webhookId, [...(positions.get(webhookId) ?? []), position]);
    }
    await this.backlog.insertBatch(waitingEvents, positions, this.clock.currentDate());
  }

  /**
   * Creates deliveries from the backlog of a leased queue, as many as it has room for.
   * @returns how many it has created, and whether events are left
   */
  createDeliveries(endpointLease: EndpointLease): Promise<{ created: number; hasMore: boolean }> {
    const { webhookId, fencingToken } = endpointLease;
    return this.unitOfWork.runInTransaction(async () => {
      const [queue] = await this.endpointQueues.lockEndpointQueues([webhookId]);
      const [endpoint] = await this.pendingDeliveries.findEndpoints([webhookId]);
      if (queue?.fencingToken !== fencingToken || endpoint?.state !== 'active') return { created: 0, hasMore: false };
      const load = (await this.readLoads([webhookId])).get(webhookId)!;
      return this.moveEvents(webhookId, getRoom(load));
    });
  }

  /** Creates deliveries from the backlog of a locked queue, at most `room`. */
  async moveEvents(webhookId: string, room: number): Promise<{ created: number; hasMore: boolean }> {
    const now = this.clock.now();
    if (room <= 0) {
      await this.backlog.reduceBacklog(webhookId, 0, new Date(now + BUSY_DELAY_MS));
      return { created: 0, hasMore: true };
    }
    const entries = await this.backlog.findEntries(webhookId, MAX_ENTRIES + 1);
    const events: BacklogEvent[] = [];
    for (const entry of entries.slice(0, MAX_ENTRIES)) {
      const taken = entry.positions.slice(0, room - events.length);
      events.push(...taken.map((position) => entry.events[position]!));
      if (taken.length > 0) await this.backlog.removeEvents(webhookId, entry, taken.length);
    }
    const hasMore = countEvents(entries) > events.length;
    await this.backlog.reduceBacklog(webhookId, events.length, hasMore ? new Date(now) : null);
    if (events.length > 0) await this.insertDeliveries(webhookId, events, now);
    return { created: events.length, hasMore };
  }

  private async insertDeliveries(webhookId: string, events: BacklogEvent[], now: number): Promise<void> {
    const [endpoint] = await this.pendingDeliveries.findEndpoints([webhookId]);
    const owner = endpoint ? await this.subscriptionAccessResolver.resolveOwner(endpoint) : null;
    const payloads = owner ? await this.eventPayloadService.renderPayloads(events, owner) : new Map<string, string>();
    const created = events.map(({ id, type, payload, traceparent }) => ({
      id: generateId('dlv'),
      webhookId,
      eventId: id,
      type,
      payload: payloads.get(id) ?? payload,
      traceparent,
      nextAttemptAt: this.retryPolicy.getFirstAttemptAt(now),
      createdAt: new Date(now),
    }));
    await this.deliveries.insert(created);
    const firstAttemptAt = Math.min(...created.map(({ nextAttemptAt }) => nextAttemptAt.getTime()));
    await this.endpointQueues.includeDueTimes(new Map([[webhookId, new Date(firstAttemptAt)]]));
    this.addToCount(webhookId, created.length);
  }

  private readLoads(webhookIds: readonly string[]) {
    const until = this.retryPolicy.getLatestFirstAttemptAt(this.clock.now());
    return this.backlog.readLoads(webhookIds, until, MAX_DUE_DELIVERIES);
  }

  /** Counts exactly how many deliveries a replay may add to a webhook whose queue is locked. */
  countReplayCapacity(webhookId: string): Promise<number> {
    return this.countCapacity(webhookId, MAX_REPLAYED_DELIVERIES);
  }

  private async countCapacity(webhookId: string, limit = MAX_PENDING_DELIVERIES): Promise<number> {
    this.pendingCounts.delete(webhookId);
    const waitingEvents = await this.backlog.recountBacklog(webhookId);
    return Math.max(0, limit - waitingEvents - (await this.countPending(webhookId)));
  }

  /** Returns how many more deliveries the webhook may have. Counts exactly before it refuses one. */
  private async getCapacity(webhookId: string, backlogEvents: number, wanted: number): Promise<number> {
    const capacity = MAX_PENDING_DELIVERIES - backlogEvents - (await this.countPending(webhookId));
    return capacity >= wanted ? capacity : this.countCapacity(webhookId);
  }

  private async countPending(webhookId: string): Promise<number> {
    const now = this.clock.monotonicMs();
    const known = this.pendingCounts.get(webhookId);
    if (known && now - known.countedAt < COUNT_LIFETIME_MS) return known.count;
    const count = await this.backlog.countPending(webhookId, MAX_PENDING_DELIVERIES);
    if (this.pendingCounts.size >= MAX_KNOWN_COUNTS) this.pendingCounts.clear();
    this.pendingCounts.set(webhookId, { count, countedAt: now });
    return count;
  }

  private addToCount(webhookId: string, count: number): void {
    const known = this.pendingCounts.get(webhookId);
    if (known) known.count += count;
  }
}

/** Returns how many more deliveries of the queue may be due. Negative if there are too many. */
function getRoom({ dueDeliveries, isAccepting }: QueueLoad): number {
  return (isAccepting ? MAX_DUE_DELIVERIES : MAX_UNACCEPTED_DELIVERIES) - dueDeliveries;
}

function toBacklogEvent({ id, type, payload, traceparent }: BacklogEvent): BacklogEvent {
  return { id, type, payload, traceparent };
}

function countEvents(entries: readonly BacklogEntry[]): number {
  return entries.reduce((sum, { positions }) => sum + positions.length, 0);
}
