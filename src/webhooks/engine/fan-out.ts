import { Injectable } from '@nestjs/common';
import { ArtifactAccess } from '../../artifacts';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import { Outbox, type OutboxRow } from '../../events';
import { UnitOfWork } from '../../persistence';
import { ContentAccess } from '../../sessions';
import { DeliveriesRepository, type NewDelivery } from '../deliveries/deliveries.repository';
import type { Creator } from '../subscriptions/creator';
import { mayBeTold } from '../subscriptions/event-access';
import { LanesRepository } from './lanes.repository';
import { QueueRepository } from './queue.repository';
import { RetryPolicy } from './retry-policy';
import { Viewers } from './viewers';

const BATCH = 200;

/** Makes deliveries of events: one for each subscription that is told. */
@Injectable()
export class FanOut {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly lanes: LanesRepository,
    private readonly queue: QueueRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly viewers: Viewers,
    private readonly sessions: ContentAccess,
    private readonly artifacts: ArtifactAccess,
    private readonly policy: RetryPolicy,
    private readonly clock: Clock,
  ) {}

  /** In one transaction, a batch at a time. The subscriptions that have something new, and whether there may be more. */
  run(): Promise<{ webhookIds: string[]; more: boolean }> {
    return this.unitOfWork.run(async () => {
      const events = await this.outbox.take(BATCH);
      const addressed = [...new Set(events.flatMap((event) => event.webhook_ids))];
      // What takes time comes before the lanes are held.
      const deliveries = await this.deliveriesOf(events, addressed);
      // Held until the commit: a lane that is released meanwhile would not see what is inserted here.
      const lanes = await this.lanes.lock(addressed);
      const webhookIds = lanes.map(({ webhookId }) => webhookId);
      const told = deliveries.filter(({ webhookId }) => webhookIds.includes(webhookId));
      if (told.length > 0) {
        await this.deliveries.insert(told);
        await this.lanes.refreshDue(webhookIds);
      }
      return { webhookIds, more: events.length === BATCH };
    });
  }

  private async deliveriesOf(events: OutboxRow[], webhookIds: string[]): Promise<NewDelivery[]> {
    const now = this.clock.now();
    const deliveries: NewDelivery[] = [];
    for (const endpoint of await this.queue.endpoints(webhookIds)) {
      const viewer = await this.viewers.viewerOf(endpoint);
      const told = events.filter(
        (event) => event.webhook_ids.includes(endpoint.id) && viewer && mayBeTold(viewer, event.type),
      );
      const payloads = await this.payloads(told, viewer);
      for (const event of told) {
        deliveries.push({
          id: newId('dlv'),
          webhookId: endpoint.id,
          eventId: event.id,
          type: event.type,
          payload: payloads.get(event.id) ?? event.payload,
          traceparent: event.traceparent,
          nextAttemptAt: this.policy.firstAt(now),
          createdAt: new Date(now),
        });
      }
    }
    return deliveries;
  }

  /** Those that differ from what was recorded: where this viewer could read the content (webhooks.md, Types). */
  private async payloads(events: OutboxRow[], viewer: Creator | null): Promise<Map<string, string>> {
    const changed = new Map<string, string>();
    const parsed = events
      .filter(({ type }) => /^(session|artifact)\./.test(type))
      .map((event) => ({ event, content: JSON.parse(event.payload) as Payload }));
    if (!viewer || parsed.length === 0) return changed;
    const ids = (kind: string) =>
      parsed.filter(({ event }) => event.type.startsWith(kind)).map(({ content }) => content.data.id);
    const readable = new Set([
      ...(await this.sessions.readableSessions(viewer, ids('session.'))),
      ...(await this.artifacts.readableArtifacts(viewer, ids('artifact.'))),
    ]);
    for (const { event, content } of parsed.filter((each) => readable.has(each.content.data.id))) {
      content.data.contentGranted = true;
      changed.set(event.id, JSON.stringify(content));
    }
    return changed;
  }
}

interface Payload {
  data: { id: string; contentGranted: boolean };
}
