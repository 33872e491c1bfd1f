import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth';
import { toCanonicalJson } from '../../common/canonical-json';
import { Clock, HOUR } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Config } from '../../core/config';
import { InstanceRegistry } from '../../core/instances';
import { UnitOfWork } from '../../core/database';
import { ResponseCipher, type StoredResponse } from './response-cipher';
import type { IdempotencyKeyEntity } from './idempotency-key.entity';
import { IdempotencyRepository } from './idempotency.repository';
import type { IdempotentCall } from './idempotent-call';
import { StoredResponseBytesRepository } from './stored-response-bytes.repository';

const RECORD_LIFETIME_MS = 24 * HOUR;

export type IdempotencyOutcome =
  /** The first call: run it, then call `storeResponse` or `discardClaim`. */
  | { kind: 'first'; record: IdempotencyClaim }
  | { kind: 'replay'; response: StoredResponse }
  /** The first call completed, but its response was not stored: the account had reached its limit. */
  | { kind: 'not_kept'; status: number; callId: string }
  /** The instance of the first call died before it stored a response, so the result is unknown. */
  | { kind: 'interrupted'; record: IdempotencyClaim };

/** Identifies the record of a key while its call runs. */
export interface IdempotencyClaim {
  id: Buffer;
  key: string;
  callId: string;
  accountId: string;
  /** Maximum of stored response bytes of the account. */
  limit: number;
  /** Bytes of the stored response, which the account is charged for. A later response replaces it. */
  chargedBytes: number;
}

/**
 * Implements `Idempotency-Key` (docs/protocol/external-api.md#idempotency): runs a call once and replays its response
 * for 24 hours.
 */
@Injectable()
export class IdempotencyService {
  /** First calls that run on this instance, or whose end is not stored yet. Other records of it were interrupted. */
  private readonly runningCallIds = new Set<string>();

  constructor(
    private readonly records: IdempotencyRepository,
    private readonly responseCipher: ResponseCipher,
    private readonly storedResponses: StoredResponseBytesRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly instanceRegistry: InstanceRegistry,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Claims the key for the call, or returns the result of the first call. After `first` or an error, the caller must
   * call `releaseCall`.
   * @throws ApiError 422 `idempotency_key_reused` if the first request differs
   * @throws ApiError 409 `idempotency_in_progress` while the first call runs
   */
  async beginCall(call: IdempotentCall): Promise<IdempotencyOutcome> {
    const id = computeRecordId(call);
    const requestHash = createHmac('sha256', call.key).update(toCanonicalJson(call.request)).digest();
    const createdAt = this.clock.currentDate();
    this.runningCallIds.add(call.requestId);
    const isFirst = await this.records.claimKey({
      id,
      accountId: call.caller.accountId,
      requestHash,
      callId: call.requestId,
      origin: this.instanceRegistry.ownInstanceId,
      status: null,
      answer: null,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + RECORD_LIFETIME_MS),
    });
    if (isFirst) return { kind: 'first', record: this.createClaim(call, id, call.requestId) };
    this.releaseCall(call.requestId);
    const existing = await this.records.find(id);
    if (!existing) throw idempotencyInProgress();
    if (!timingSafeEqual(existing.requestHash, requestHash)) {
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another request.');
    }
    return this.resolveExisting(existing, call);
  }

  /**
   * Stores the response, or replaces a stored one by a late response. If the account has reached its limit, stores the
   * status only: the record remains, so that the call does not run twice.
   */
  storeResponse(claim: IdempotencyClaim, response: StoredResponse): Promise<void> {
    const { id, key, callId, accountId, limit } = claim;
    const sealed = this.responseCipher.encryptResponse(response, key, id);
    return this.unitOfWork.runInTransaction(async () => {
      const addedBytes = Math.max(0, sealed.length - claim.chargedBytes);
      const hasRoom = await this.storedResponses.reserveBytes(accountId, addedBytes, limit);
      await this.records.storeResponse(id, callId, response.status, hasRoom ? sealed : null);
      if (hasRoom) this.unitOfWork.afterCommit(() => void (claim.chargedBytes += addedBytes));
    });
  }

  /**
   * Stores the response for retries of an interrupted call, in the transaction of `beginCall`. That has locked the
   * record, so that a response which the first call's instance stores meanwhile, after all, replaces this one. Its few
   * bytes are not counted: writers of responses hold the count before they wait for the record.
   */
  async storeInterruption({ id, key, callId }: IdempotencyClaim, response: StoredResponse): Promise<void> {
    const sealed = this.responseCipher.encryptResponse(response, key, id);
    await this.records.storeResponse(id, callId, response.status, sealed);
  }

  /** Deletes the record of a call without any effect, so that the key can be used again. */
  discardClaim({ id, callId }: IdempotencyClaim): Promise<void> {
    return this.records.deleteRecord(id, callId);
  }

  /** Marks a call as no longer running, whether it was stored, discarded or failed. */
  releaseCall(callId: string): void {
    this.runningCallIds.delete(callId);
  }

  private async resolveExisting(existing: IdempotencyKeyEntity, call: IdempotentCall): Promise<IdempotencyOutcome> {
    const { status, callId } = existing;
    const record = this.createClaim(call, existing.id, callId);
    if (existing.answer) {
      const response = this.responseCipher.decryptResponse(existing.answer, call.key, existing.id);
      return response ? { kind: 'replay', response } : { kind: 'interrupted', record };
    }
    if (status !== null) return { kind: 'not_kept', status, callId };
    if (await this.isRunning(existing)) throw idempotencyInProgress();
    return { kind: 'interrupted', record };
  }

  private isRunning({ origin, callId }: IdempotencyKeyEntity): Promise<boolean> {
    if (origin === this.instanceRegistry.ownInstanceId) return Promise.resolve(this.runningCallIds.has(callId));
    return this.instanceRegistry.isAlive(origin);
  }

  private createClaim({ caller, key }: IdempotentCall, id: Buffer, callId: string): IdempotencyClaim {
    const limit = caller.account.limits.maxKeptAnswerBytes ?? this.config.planLimits.maxKeptAnswerBytes;
    return { id, key, callId, accountId: caller.accountId, limit, chargedBytes: 0 };
  }
}

function computeRecordId({ caller, method, path, key }: IdempotentCall): Buffer {
  const keyHash = createHash('sha256').update(key).digest('hex');
  return createHash('sha256')
    .update([identifyKeyOwner(caller), method, path, keyHash].join('\n'))
    .digest();
}

/** Returns the owner of keys: a token, a device, or an app with the account that it acts for. */
function identifyKeyOwner(caller: Principal): string {
  if (caller.kind === 'device') return `device:${caller.deviceId}`;
  return caller.appId ? `app:${caller.appId}:${caller.accountId}` : `pat:${caller.tokenId}`;
}

/**
 * 409 `answer_not_kept`: the response of the first call was not stored.
 * @param outcome outcome of a relayed call
 */
export function responseNotStored({ status, callId }: { status: number; callId: string }, outcome?: string): ApiError {
  return new ApiError(
    'answer_not_kept',
    `The first call with this Idempotency-Key was answered with status ${status}. The answer was not kept, because ` +
      'the account keeps as many bytes of answers as its plan allows. The call is not run again.',
    {
      members: { firstStatus: status, firstRequestId: callId, ...(outcome && { outcome }) },
      headers: { 'Idempotency-Replayed': 'true' },
    },
  );
}

function idempotencyInProgress(): ApiError {
  return new ApiError('idempotency_in_progress', 'The first call with this Idempotency-Key is still running.');
}
