import { Clock } from '../../common/clock';
import { runInRequestContext } from '../../common/request-context';
import type { UnitOfWork } from '../database';
import type { AccountSyncNotification } from './domain-event';
import { EventOutboxService } from './event-outbox.service';
import { EventPublisher } from './event-publisher';
import type { NewEventRow, OutboxRepository } from './outbox.repository';

const NOW = Date.UTC(2026, 10, 23);
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const NOTIFICATION: AccountSyncNotification = {
  type: 'session.created',
  accountId: 'acc_1',
  id: 'ses_1',
  byDeviceId: 'dev_1',
  hostDeviceId: null,
};

/** Transactions as `UnitOfWork` runs them, without a database. */
class TestUnitOfWork {
  manager = {};
  private beforeCommitCallbacks: (() => Promise<void>)[] = [];
  private afterCommitCallbacks: (() => void)[] = [];

  beforeCommit(callback: () => Promise<void>): void {
    this.beforeCommitCallbacks.push(callback);
  }

  afterCommit(callback: () => void): void {
    this.afterCommitCallbacks.push(callback);
  }

  async commit(): Promise<void> {
    for (const callback of this.beforeCommitCallbacks) await callback();
    this.afterCommitCallbacks.forEach((callback) => callback());
    this.rollBack();
  }

  rollBack(): void {
    this.manager = {};
    this.beforeCommitCallbacks = [];
    this.afterCommitCallbacks = [];
  }
}

describe('EventPublisher', () => {
  let transaction: TestUnitOfWork;
  let writes: NewEventRow[][];
  let isSubscribed: boolean;
  let notifications: AccountSyncNotification[];
  let announcements: number;
  let publisher: EventPublisher;

  beforeEach(() => {
    transaction = new TestUnitOfWork();
    writes = [];
    isSubscribed = true;
    notifications = [];
    announcements = 0;
    const insertEvents = (rows: NewEventRow[]) => {
      writes.push([...rows]);
      return Promise.resolve(isSubscribed);
    };
    const unitOfWork = transaction as unknown as UnitOfWork;
    const clock = Object.assign(new Clock(), { now: () => NOW });
    const outbox = new EventOutboxService(unitOfWork, { insertEvents } as unknown as OutboxRepository, clock);
    outbox.committedRows.subscribe(() => announcements++);
    publisher = new EventPublisher(unitOfWork, outbox);
    publisher.committedNotifications.subscribe((notification) => notifications.push(notification));
  });

  it('writes a change for webhooks before the commit, and notifies devices after it', async () => {
    publisher.recordChange({ ...NOTIFICATION, data: { id: 'ses_1' } });
    expect([writes, notifications]).toEqual([[], []]);
    await transaction.commit();
    const payload = JSON.stringify({ type: 'session.created', timestamp: NOW, data: { id: 'ses_1' } });
    expect(writes).toMatchObject([
      [{ accountId: 'acc_1', type: 'session.created', payload, createdAt: new Date(NOW) }],
    ]);
    expect(writes[0]![0]!.id).toMatch(/^evt_/);
    expect(notifications).toEqual([NOTIFICATION]);
    expect(announcements).toBe(1);
  });

  it('writes one event for each record of a change, and notifies devices once', async () => {
    publisher.recordChange({ ...NOTIFICATION, type: 'message.created', seq: 3, data: [{ seq: 2 }, { seq: 3 }] });
    await transaction.commit();
    expect(writes).toHaveLength(1);
    expect(writes[0]!.map(({ payload }) => (JSON.parse(payload) as { data: object }).data)).toEqual([
      { seq: 2 },
      { seq: 3 },
    ]);
    expect(notifications).toEqual([{ ...NOTIFICATION, type: 'message.created', seq: 3 }]);
  });

  it('writes all events of a transaction at once, in their order, with different ids', async () => {
    publisher.publishEvent({ type: 'session.ended', accountId: 'acc_1', data: {} });
    publisher.publishEvent({ type: 'session.deleted', accountId: 'acc_1', data: {} });
    await transaction.commit();
    expect(writes.map((rows) => rows.map(({ type }) => type))).toEqual([['session.ended', 'session.deleted']]);
    expect(new Set(writes[0]!.map(({ id }) => id)).size).toBe(2);
    expect(notifications).toEqual([]);
  });

  it('does not write the events of a transaction again in the next one', async () => {
    publisher.publishEvent({ type: 'session.created', accountId: 'acc_1', data: {} });
    await transaction.commit();
    publisher.publishEvent({ type: 'session.deleted', accountId: 'acc_1', data: {} });
    await transaction.commit();
    expect(writes.map((rows) => rows.map(({ type }) => type))).toEqual([['session.created'], ['session.deleted']]);
  });

  it('publishes nothing of a transaction that rolls back', async () => {
    publisher.recordChange({ ...NOTIFICATION, data: {} });
    transaction.rollBack();
    await transaction.commit();
    expect([writes, notifications, announcements]).toEqual([[], [], 0]);
  });

  it('announces nothing if no webhook subscribes to the events', async () => {
    isSubscribed = false;
    publisher.publishEvent({ type: 'session.created', accountId: 'acc_1', data: {} });
    await transaction.commit();
    expect(announcements).toBe(0);
  });

  it.each([
    { name: 'of the request by default', traceparent: undefined, expected: TRACEPARENT },
    { name: 'of the event, if it has one', traceparent: 'another', expected: 'another' },
    { name: 'of no request, if the event must have none', traceparent: null, expected: null },
  ])('continues the trace $name', async ({ traceparent, expected }) => {
    runInRequestContext({ traceparent: TRACEPARENT }, () =>
      publisher.publishEvent({ type: 'session.created', accountId: 'acc_1', data: {}, traceparent }),
    );
    await transaction.commit();
    expect(writes[0]![0]!.traceparent).toBe(expected);
  });

  it('stores null outside of a trace', async () => {
    publisher.publishEvent({ type: 'session.created', accountId: 'acc_1', data: {} });
    await transaction.commit();
    expect(writes[0]![0]!.traceparent).toBeNull();
  });
});
