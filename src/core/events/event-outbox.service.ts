import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { Clock } from '../../common/clock';
import { generateId, getIdTime, getLowestId } from '../../common/ids';
import { getCurrentTraceparent } from '../../common/request-context';
import { QueueScan, UnitOfWork } from '../database';
import { getEventSessionId, type DomainEvent, type EventType } from './domain-event';
import { OutboxRepository, type LogSearch, type NewEventRow, type OutboxRow } from './outbox.repository';

/** Writes what else belongs to an event, in its transaction. */
export type EventRecorder = (event: DomainEvent) => Promise<void>;

/** What event streams learn about an event that has committed. */
export type CommittedEvent = Pick<NewEventRow, 'id' | 'accountId' | 'sessionId' | 'payload'>;

/**
 * Transactional outbox. Writes events in the transaction that causes them, just before it commits: to the log, which
 * event streams read, and to the outbox if a webhook subscribes to them. The webhook dispatcher takes them from there.
 */
@Injectable()
export class EventOutboxService {
  private readonly recorders = new Map<EventType, EventRecorder>();
  private readonly pendingRows = new WeakMap<object, NewEventRow[]>();
  /** Positions are the times of ids. */
  private readonly outboxScan: QueueScan;
  private readonly committedRowsSubject = new Subject<void>();
  private readonly committedEventsSubject = new Subject<readonly CommittedEvent[]>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: OutboxRepository,
    private readonly clock: Clock,
  ) {
    this.outboxScan = new QueueScan(clock);
  }

  /** Emits when this instance has committed rows for webhooks. */
  get committedRows(): Observable<void> {
    return this.committedRowsSubject;
  }

  /** Emits the events of each transaction that this instance has committed. */
  get committedEvents(): Observable<readonly CommittedEvent[]> {
    return this.committedEventsSubject;
  }

  /** Registers what is written with each event of this type, before its transaction commits. */
  registerRecorder(type: EventType, recordEvent: EventRecorder): void {
    this.recorders.set(type, recordEvent);
  }

  /** Adds an event to the log, and for all webhooks that subscribe to it. Requires a transaction. */
  addEvent(event: DomainEvent): void {
    const recordEvent = this.recorders.get(event.type);
    if (recordEvent) this.unitOfWork.beforeCommit(() => recordEvent(event));
    const { manager } = this.unitOfWork;
    const pendingRows = this.pendingRows.get(manager);
    if (pendingRows) {
      pendingRows.push(this.toRow(event));
      return;
    }
    const rows = [this.toRow(event)];
    this.unitOfWork.beforeCommit(() => this.writeRows(rows));
    this.pendingRows.set(manager, rows);
  }

  /** Adds an event for one webhook, regardless of its subscriptions, in the caller's transaction. */
  async addEventForWebhook(event: DomainEvent, webhookId: string): Promise<void> {
    const row = this.toRow(event);
    await this.repository.insertForWebhook(webhookId, row);
    this.unitOfWork.afterCommit(() => this.announceOutboxRows([row.id]));
  }

  /** Returns the ids of events that the log still has, in their order. */
  findLoggedEvents(search: LogSearch, afterId: string, limit: number): Promise<string[]> {
    return this.repository.findLogged(search, afterId, limit);
  }

  /**
   * Prevents the fan-out of these events until the end of the caller's transaction, also of those that it will add.
   * Call it before a queue is locked, in the order of the fan-out.
   */
  lockFanOut(ids: readonly string[]): Promise<void> {
    return this.repository.lockRows(ids);
  }

  /** Returns the ids of the account's events that are not fanned out to the webhook yet. */
  findWaitingEvents(accountId: string, webhookId: string): Promise<string[]> {
    return this.repository.findWaiting(accountId, webhookId);
  }

  /** Adds events of the log again, for one webhook, in the caller's transaction. */
  async addLoggedEvents(search: LogSearch, ids: readonly string[], webhookId: string): Promise<void> {
    await this.repository.insertLogged(search, ids, webhookId);
    this.unitOfWork.afterCommit(() => this.announceOutboxRows(ids));
  }

  /** Deletes the events of an account from the log, at most `limit`, in the caller's transaction. Returns how many. */
  deleteLoggedEvents(accountId: string, limit?: number): Promise<number> {
    return this.repository.deleteLogged(accountId, limit);
  }

  /**
   * Deletes and returns the oldest events, in the caller's transaction. A rollback restores them. Calls must not
   * overlap.
   * @param limit number of events, at least that of a batch
   */
  async takeEvents(limit: number): Promise<{ events: OutboxRow[]; hasMore: boolean }> {
    const scan = this.outboxScan.start(getIdTime(generateId('evt')));
    const fromId = getLowestId('evt', scan.from);
    const single = await this.repository.takeRows(fromId, limit);
    const batched = await this.repository.takeBatches(fromId, limit - single.events.length);
    const [nextId] = [single.nextId, batched.nextId].filter((id) => id !== undefined).sort();
    this.unitOfWork.afterCommit(() => scan.complete(nextId === undefined ? undefined : getIdTime(nextId)));
    return { events: [...single.events, ...batched.events], hasMore: nextId !== undefined };
  }

  private toRow({ type, accountId, data, traceparent = getCurrentTraceparent() }: DomainEvent): NewEventRow {
    const createdAt = this.clock.currentDate();
    const payload = JSON.stringify({ type, timestamp: createdAt.getTime(), data });
    const sessionId = getEventSessionId({ type, data });
    return { id: generateId('evt'), accountId, sessionId, type, payload, traceparent: traceparent ?? null, createdAt };
  }

  private async writeRows(rows: NewEventRow[]): Promise<void> {
    const isForWebhooks = await this.repository.insertEvents(rows);
    this.unitOfWork.afterCommit(() => {
      if (isForWebhooks) this.announceOutboxRows(rows.map(({ id }) => id));
      this.committedEventsSubject.next(rows);
    });
  }

  private announceOutboxRows(ids: readonly string[]): void {
    for (const id of ids) this.outboxScan.include(getIdTime(id));
    this.committedRowsSubject.next();
  }
}
