import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { UnitOfWork } from '../../core/database';
import type { StoredResponse } from './response-cipher';
import { responseNotStored, IdempotencyService } from './idempotency.service';
import type { IdempotentCall } from './idempotent-call';

/** Runs idempotent calls that are one transaction: the record is committed together with their writes. */
@Injectable()
export class IdempotentWritesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotencyService: IdempotencyService,
  ) {}

  /**
   * Runs `work` in a transaction and returns its result, or the body of the stored response of the first call.
   * @param call null without an `Idempotency-Key`
   * @param toStoredResponse returns the response to replay, without secrets that are shown only once
   * @throws ApiError 422 `idempotency_key_reused` if the first request differs
   * @throws ApiError 409 `idempotency_in_progress`, `answer_not_kept`, or `conflict` for an undecryptable response
   */
  async runOnce<T extends object>(
    call: IdempotentCall | null,
    work: () => Promise<T>,
    toStoredResponse: (body: T) => StoredResponse,
  ): Promise<{ body: T; replayed: boolean }> {
    if (!call) return { body: await this.unitOfWork.runInTransaction(work), replayed: false };
    try {
      return await this.unitOfWork.runInTransaction(async () => {
        const outcome = await this.idempotencyService.beginCall(call);
        if (outcome.kind === 'replay') return { body: outcome.response.body as T, replayed: true };
        if (outcome.kind === 'not_kept') throw responseNotStored(outcome);
        if (outcome.kind === 'interrupted') throw responseUnreadable();
        const body = await work();
        await this.idempotencyService.storeResponse(outcome.record, toStoredResponse(body));
        return { body, replayed: false };
      });
    } finally {
      this.idempotencyService.releaseCall(call.requestId);
    }
  }
}

/** 409 `conflict`: the APP_SECRET that encrypted the response is not configured any more. */
function responseUnreadable(): ApiError {
  return new ApiError(
    'conflict',
    'The stored response of the first call with this Idempotency-Key can no longer be decrypted.',
  );
}
