import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { UnitOfWork } from '../persistence';
import type { Change, ChangeHint, DomainEvent } from './change';
import { Outbox } from './outbox';

/** Where modules say what happened, in the transaction in which it does, and others, above them, listen. */
@Injectable()
export class Changes {
  private readonly subject = new Subject<ChangeHint>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  /** Hints at committed changes of this instance, in the order of their commits here. */
  get committed(): Observable<ChangeHint> {
    return this.subject;
  }

  /** For devices and for webhooks. */
  record({ data, ...hint }: Change): void {
    const { type, accountId } = hint;
    for (const each of [data].flat()) this.publish({ type, accountId, data: each });
    this.hint(hint);
  }

  /** For devices alone: told once the transaction has committed, and never when it rolls back. */
  hint(hint: ChangeHint): void {
    this.unitOfWork.afterCommit(() => this.subject.next(hint));
  }

  /** For webhooks alone. */
  publish(event: DomainEvent): void {
    this.outbox.add(event);
  }
}
