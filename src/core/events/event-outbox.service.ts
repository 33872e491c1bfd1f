import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { Clock } from '../../common/clock';
import { generateId } from '../../common/ids';
import { getCurrentTraceparent } from '../../common/trace-context';
import { UnitOfWork } from '../database';
import type { DomainEvent } from './domain-event';
import { OutboxRepository, type NewOutboxRow, type OutboxRow } from './outbox.repository';

/**
 * Transactional outbox. Writes events in the transaction that causes them, just before it commits, and only if a
 * webhook subscribes to them. The webhook dispatcher takes them from there.
 */
@Injectable()
export class EventOutboxService {
  private readonly pendingRows = new WeakMap<object, NewOutboxRow[]>();
  private readonly committedSubject = new Subject<void>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: OutboxRepository,
    private readonly clock: Clock,
  ) {}

  /** Emits when this instance has committed rows. */
  get committedRows(): Observable<void> {
    return this.committedSubject;
  }

  /** Adds an event for all webhooks that subscribe to it. Requires a transaction. */
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
    await this.repository.insertForWebhook(webhookId, this.toRow(event));
    this.announceCommit();
  }

  /** Deletes and returns the oldest rows, in the caller's transaction. A rollback restores them. */
  takeEvents(limit: number): Promise<OutboxRow[]> {
    return this.repository.takeRows(limit);
  }

  private toRow({ type, accountId, data, traceparent = getCurrentTraceparent() }: DomainEvent): NewOutboxRow {
    const createdAt = this.clock.currentDate();
    const payload = JSON.stringify({ type, timestamp: createdAt.getTime(), data });
    return { id: generateId('evt'), accountId, type, payload, traceparent: traceparent ?? null, createdAt };
  }

  private async writeRows(rows: NewOutboxRow[]): Promise<void> {
    if (await this.repository.insertMatching(rows)) this.announceCommit();
  }

  private announceCommit(): void {
    this.unitOfWork.afterCommit(() => this.committedSubject.next());
  }
}
