import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { Clock } from '../../common/clock';
import { generateId, getIdTime, getLowestId } from '../../common/ids';
import { getCurrentTraceparent } from '../../common/request-context';
import { QueueScan, UnitOfWork } from '../database';
import { getEventSessionId, type DomainEvent } from './domain-event';
import { OutboxRepository, type NewEventRow, type OutboxRow } from './outbox.repository';

/** What event streams learn about an event that has committed. */
export type CommittedEvent = Pick<NewEventRow, 'id' | 'accountId' | 'sessionId'>;

/**
 * Transactional outbox. Writes events in the transaction that causes them, just before it commits: to the log, which
 * event streams read, and to the outbox if a webhook subscribes to them. The webhook dispatcher takes them from there.
 */
@Injectable()
export class EventOutboxService {
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

  /** Adds an event to the log, and for all webhooks that subscribe to it. Requires a transaction. */
  addEvent(event: DomainEvent): void {
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
    this.unitOfWork.afterCommit(() => this.announceOutboxRows([row]));
  }

  /** Deletes the events of an account from the log, at most `limit`, in the caller's transaction. Returns how many. */
  deleteLoggedEvents(accountId: string, limit?: number): Promise<number> {
    return this.repository.deleteLogged(accountId, limit);
  }

  /**
   * Deletes and returns the oldest rows, in the caller's transaction. A rollback restores them. Fewer than `limit` are
   * returned when there are no more that this instance has to take now. Calls must not overlap.
   */
  async takeEvents(limit: number): Promise<OutboxRow[]> {
    const scan = this.outboxScan.start(getIdTime(generateId('evt')));
    const rows = await this.repository.takeRows(getLowestId('evt', scan.from), limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    this.unitOfWork.afterCommit(() => scan.complete(last && getIdTime(last.id)));
    return rows;
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
      if (isForWebhooks) this.announceOutboxRows(rows);
      this.committedEventsSubject.next(rows);
    });
  }
  private announceOutboxRows(rows: readonly NewEventRow[]): void {
    for (const { id } of rows) this.outboxScan.include(getIdTime(id));
    this.committedRowsSubject.next();
  }
}
