import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors';
import { UnitOfWork } from '../persistence';
import type { StoredAnswer } from './answer-vault';
import { Idempotency, type KeyedRequest } from './idempotency.service';

/** Calls that are one transaction: their record is committed with what they wrote, or nothing is. */
@Injectable()
export class KeyedWrites {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * Runs `work` in a transaction, or gives the kept answer of the first call.
   * @param keyed null without an `Idempotency-Key`
   * @param toKeep the answer as it is replayed, without what is told only once
   * @throws ApiError 422 for the same key with another request
   */
  async run<T extends object>(
    keyed: KeyedRequest | null,
    work: () => Promise<T>,
    toKeep: (answer: T) => StoredAnswer,
  ): Promise<{ answer: T; replayed: boolean }> {
    if (!keyed) return { answer: await this.unitOfWork.run(work), replayed: false };
    try {
      return await this.unitOfWork.run(async () => {
        const begun = await this.idempotency.begin(keyed);
        if (begun.kind === 'replay') return { answer: begun.answer.body as T, replayed: true };
        if (begun.kind === 'interrupted') throw unreadable();
        const answer = await work();
        await this.idempotency.keep(begun.record, toKeep(answer));
        return { answer, replayed: false };
      });
    } finally {
      this.idempotency.ended(keyed.requestId);
    }
  }
}

/** The secret that sealed it is configured no more. */
function unreadable(): ApiError {
  return new ApiError('conflict', 'What the first call with this Idempotency-Key answered cannot be read.');
}
