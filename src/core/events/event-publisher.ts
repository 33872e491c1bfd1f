import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { UnitOfWork } from '../database';
import type { DomainChange, AccountSyncNotification, DomainEvent } from './domain-event';
import { EventOutboxService } from './event-outbox.service';

/** Publishes changes, in the transaction that makes them, to devices and to all that follow events. */
@Injectable()
export class EventPublisher {
  private readonly notifications = new Subject<AccountSyncNotification>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventOutboxService: EventOutboxService,
  ) {}

  /** Sync notifications about committed changes of this instance, in the order of their commits. */
  get committedNotifications(): Observable<AccountSyncNotification> {
    return this.notifications;
  }

  /** Publishes a change to devices, and an event for each of its data. */
  recordChange({ data, ...notification }: DomainChange): void {
    const { type, accountId } = notification;
    for (const each of [data].flat()) this.publishEvent({ type, accountId, data: each });
    this.notifyDevices(notification);
  }

  /** Notifies devices only, after the transaction has committed. */
  notifyDevices(notification: AccountSyncNotification): void {
    this.unitOfWork.afterCommit(() => this.notifications.next(notification));
  }

  /** Publishes an event to webhooks, event streams and notifications of browsers, but not to devices. */
  publishEvent(event: DomainEvent): void {
    this.eventOutboxService.addEvent(event);
  }
}
