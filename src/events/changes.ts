import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { UnitOfWork } from '../persistence';
import type { Change } from './change';

/** Where modules say what happened, and others, above them, listen. */
@Injectable()
export class Changes {
  private readonly subject = new Subject<Change>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Committed changes of this instance, in the order of their commits here. */
  get committed(): Observable<Change> {
    return this.subject;
  }

  /** Says it in the running transaction; it is told once that has committed, and never when it rolls back. */
  record(change: Change): void {
    this.unitOfWork.afterCommit(() => this.subject.next(change));
  }
}
