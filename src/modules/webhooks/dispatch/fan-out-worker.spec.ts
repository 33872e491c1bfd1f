import { Test } from '@nestjs/testing';
import type { Scope } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { Config } from '../../../core/config';
import { UnitOfWork } from '../../../core/database';
import { EventOutboxService, type EventType, type OutboxRow } from '../../../core/events';
import { EventQuota } from '../../accounts';
import { AppAuthorizationsService } from '../../developer-apps';
import { EventPayloadService } from '../../event-access';
import { DeliveriesRepository, type NewDelivery } from '../deliveries/deliveries.repository';
import { EndpointQueuesRepository } from './endpoint-queues.repository';
import { EventBacklogService } from './event-backlog.service';
import { FanOutWorker } from './fan-out-worker';
import { PendingDeliveriesRepository, type EndpointRow } from './pending-deliveries.repository';
import { RetryPolicy } from './retry-policy';
import { SubscriptionAccessResolver } from './subscription-access-resolver';
import { WebhookDisabler } from './webhook-disabler';

const NOW = 1_788_255_000_000;

describe('the fan-out of events', () => {
  let events: OutboxRow[];
  let endpoints: EndpointRow[];
  let deletedIds: string[];
  let appScopes: Scope[] | null;
  let inserted: NewDelivery[];
  let dueTimes: ReadonlyMap<string, Date>;
  let charged: string[];
  let worker: FanOutWorker;

  beforeEach(async () => {
    [events, endpoints, deletedIds, appScopes, inserted, charged] = [[], [], [], ['sessions:read'], [], []];
    const provide = (token: unknown, useValue: object) => ({ provide: token as string, useValue });
    const module = await Test.createTestingModule({
      providers: [
        FanOutWorker,
        SubscriptionAccessResolver,
        RetryPolicy,
        provide(Config, { webhooks: { retrySchedule: [10, 20] } }),
        provide(Clock, { now: () => NOW }),
        provide(UnitOfWork, {
          runInTransaction: (work: () => unknown) => work(),
          afterCommit: (action: () => void) => action(),
        }),
        provide(EventQuota, {
          addPayload: (accountId: string, payload: string) => charged.push(`${accountId} ${payload}`),
        }),
        provide(EventOutboxService, {
          takeEvents: (limit: number) => {
            const hasMore = events.length > limit;
            return Promise.resolve({ events: events.splice(0, limit), hasMore });
          },
        }),
        provide(AppAuthorizationsService, {
          findActiveAuthorization: () => Promise.resolve(appScopes && { scopes: appScopes }),
        }),
        provide(EventPayloadService, {
          renderPayloads: (rows: OutboxRow[], { tokenId }: { tokenId: string }) =>
            Promise.resolve(new Map(tokenId === 'tok_reader' ? rows.map(({ id }) => [id, 'granted']) : [])),
        }),
        provide(PendingDeliveriesRepository, { findEndpoints: () => Promise.resolve(endpoints) }),
        provide(DeliveriesRepository, {
          insert: (rows: NewDelivery[]) => Promise.resolve(void inserted.push(...rows)),
        }),
        provide(EventBacklogService, {
          planDeliveries: (created: NewDelivery[]) => Promise.resolve({ created, waiting: [], fullWebhookIds: [] }),
        }),
        provide(WebhookDisabler, {}),
        provide(EndpointQueuesRepository, {
          lockEndpointQueues: (ids: string[]) =>
            Promise.resolve(ids.filter((id) => !deletedIds.includes(id)).map((webhookId) => ({ webhookId }))),
          includeDueTimes: (times: ReadonlyMap<string, Date>) => Promise.resolve(void (dueTimes = times)),
        }),
      ],
    }).compile();
    worker = module.get(FanOutWorker);
  });

  const addEvent = (id: string, type: EventType, ...webhookIds: string[]) =>
    events.push({
      id,
      type,
      account_id: 'acc_1',
      payload: 'recorded',
      traceparent: null,
      webhook_ids: webhookIds,
    });
  const addWebhook = (id: string, change: Partial<EndpointRow> = {}) =>
    endpoints.push({
      ...{ id, account_id: 'acc_1', token_id: 'tok_1', app_id: null, scopes: ['sessions:read'] },
      ...change,
    } as EndpointRow);
  const listInserted = () => inserted.map(({ webhookId, eventId }) => `${webhookId} ${eventId}`);

  it('creates one delivery for each event and webhook that matched it, and no others', async () => {
    addWebhook('whk_1');
    addWebhook('whk_2');
    addEvent('evt_1', 'session.created', 'whk_1');
    addEvent('evt_2', 'session.created', 'whk_1', 'whk_2');
    addEvent('evt_3', 'session.created');
    expect((await worker.fanOutBatch()).hasMore).toBe(false);
    expect(listInserted()).toEqual(['whk_1 evt_1', 'whk_1 evt_2', 'whk_2 evt_2']);
    expect(inserted[0]).toMatchObject({ type: 'session.created', createdAt: new Date(NOW) });
    expect(charged).toEqual(Array(3).fill('acc_1 recorded'));
  });

  it('leaves out events that the owner of a webhook may not receive', async () => {
    addWebhook('whk_1', { scopes: ['machines:read'] });
    addEvent('evt_1', 'session.created', 'whk_1');
    addEvent('evt_2', 'machine.online', 'whk_1');
    await worker.fanOutBatch();
    expect(listInserted()).toEqual(['whk_1 evt_2']);
  });

  it('gives the webhook of an app what its authorization covers now, and nothing without one', async () => {
    addWebhook('whk_1', { app_id: 'app_1', scopes: ['sessions:read', 'machines:read'] });
    addEvent('evt_1', 'session.created', 'whk_1');
    addEvent('evt_2', 'machine.online', 'whk_1');
    await worker.fanOutBatch();
    expect(listInserted()).toEqual(['whk_1 evt_1']);
    appScopes = null;
    addEvent('evt_3', 'session.created', 'whk_1');
    await worker.fanOutBatch();
    expect(inserted).toHaveLength(1);
  });

  it('shows each owner the payload that is rendered for it', async () => {
    addWebhook('whk_1', { token_id: 'tok_reader' });
    addWebhook('whk_2');
    addEvent('evt_1', 'session.created', 'whk_1', 'whk_2');
    await worker.fanOutBatch();
    expect(inserted.map(({ payload }) => payload)).toEqual(['granted', 'recorded']);
  });

  it('makes the queue due at the first attempt, which has jitter', async () => {
    addWebhook('whk_1');
    for (let n = 0; n < 20; n++) addEvent(`evt_${n}`, 'session.created', 'whk_1');
    const result = await worker.fanOutBatch();
    const times = inserted.map(({ nextAttemptAt }) => nextAttemptAt.getTime() - NOW);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(10_000);
      expect(time).toBeLessThanOrEqual(12_000);
    }
    expect(new Set(times).size).toBeGreaterThan(1);
    expect(dueTimes).toEqual(new Map([['whk_1', new Date(NOW + Math.min(...times))]]));
    expect(result.dueTimes).toEqual(dueTimes);
  });

  it('creates nothing for a webhook that was deleted meanwhile', async () => {
    addWebhook('whk_1');
    deletedIds = ['whk_1'];
    addEvent('evt_1', 'session.created', 'whk_1');
    expect((await worker.fanOutBatch()).dueTimes).toEqual(new Map());
    expect(inserted).toEqual([]);
  });

  it('says that there may be more after a full batch', async () => {
    addWebhook('whk_1');
    for (let n = 0; n < 201; n++) addEvent(`evt_${n}`, 'session.created', 'whk_1');
    expect((await worker.fanOutBatch()).hasMore).toBe(true);
    expect((await worker.fanOutBatch()).hasMore).toBe(false);
    expect(inserted).toHaveLength(201);
  });
});
