import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import { currentTraceparent } from '../common/trace';
import { UnitOfWork } from '../persistence';
import type { DomainEvent } from './change';
import { OutboxRepository, type NewOutboxRow, type OutboxRow } from './outbox.repository';

/**
 * Events on their way out of the transaction in which they happened: written with it, once its work is done, and taken
 * by whoever delivers them. Only what somebody has subscribed to is written.
 */
@Injectable()
export class Outbox {
  private readonly gathered = new WeakMap<object, NewOutboxRow[]>();
  private readonly subject = new Subject<void>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly rows: OutboxRepository,
    private readonly clock: Clock,
  ) {}

  /** Tells that rows of this instance were committed. */
  get written(): Observable<void> {
    return this.subject;
  }

  /** For all who subscribe to it; part of the running transaction, without which it does not work. */
  add(event: DomainEvent): void {
    const { manager } = this.unitOfWork;
    const gathered = this.gathered.get(manager);
    if (gathered) {
      gathered.push(this.toRow(event));
      return;
    }
    const rows = [this.toRow(event)];
    this.unitOfWork.beforeCommit(() => this.write(rows));
    this.gathered.set(manager, rows);
  }

  /** For one subscription, whatever it subscribes to; in the caller's transaction. */
  async address(event: DomainEvent, webhookId: string): Promise<void> {
    await this.rows.insertFor(webhookId, this.toRow(event));
    this.announce();
  }

  /** Takes rows out, in the caller's transaction: gone once that commits, there again when it rolls back. */
  take(limit: number): Promise<OutboxRow[]> {
    return this.rows.take(limit);
  }

  private toRow({ type, accountId, data, traceparent = currentTraceparent() }: DomainEvent): NewOutboxRow {
    const createdAt = this.clock.date();
    const payload = JSON.stringify({ type, timestamp: createdAt.getTime(), data });
    return { id: newId('evt'), accountId, type, payload, traceparent: traceparent ?? null, createdAt };
  }

  private async write(rows: NewOutboxRow[]): Promise<void> {
    if (await this.rows.insertMatching(rows)) this.announce();
  }

  private announce(): void {
    this.unitOfWork.afterCommit(() => this.subject.next());
  }
}
