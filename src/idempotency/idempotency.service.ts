import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TokenPrincipal } from '../auth';
import { Clock, HOUR } from '../common/clock';
import { ApiError } from '../common/errors';
import { Instances } from '../instances';
import { AnswerVault, type StoredAnswer } from './answer-vault';
import { canonicalJson } from './canonical-json';
import type { IdempotencyKeyEntity } from './idempotency-key.entity';
import { IdempotencyRepository } from './idempotency.repository';

const LIFETIME_MS = 24 * HOUR;

/** A request that came with an `Idempotency-Key`. */
export interface KeyedRequest {
  caller: TokenPrincipal;
  method: string;
  path: string;
  key: string;
  /** The validated input. */
  request: unknown;
  /** This request's own id. */
  requestId: string;
}

export type Begun =
  /** The first call: run it, then `keep` or `discard`. */
  | { kind: 'first'; record: KeyedRecord }
  | { kind: 'replay'; answer: StoredAnswer }
  /** The process that ran the first call died before it could keep an answer; nobody knows what happened. */
  | { kind: 'interrupted'; record: KeyedRecord };

/** Names one key's record while its call runs. */
export interface KeyedRecord {
  id: Buffer;
  key: string;
  callId: string;
}

/** `Idempotency-Key` as external-api.md §1 writes it: one execution, and its answer for 24 hours. */
@Injectable()
export class Idempotency {
  /** First calls that run here now. A record of this process that is not among them lost its database midway. */
  private readonly running = new Set<string>();

  constructor(
    private readonly records: IdempotencyRepository,
    private readonly vault: AnswerVault,
    private readonly instances: Instances,
    private readonly clock: Clock,
  ) {}

  /**
   * Whoever gets `first`, or an error, says `ended` in the end.
   * @throws ApiError 422 for the same key with another request, 409 while the first still runs
   */
  async begin(keyed: KeyedRequest): Promise<Begun> {
    const id = recordId(keyed);
    const requestHash = createHmac('sha256', keyed.key).update(canonicalJson(keyed.request)).digest();
    const createdAt = this.clock.date();
    this.running.add(keyed.requestId);
    const claimed = await this.records.claim({
      id,
      accountId: keyed.caller.accountId,
      requestHash,
      callId: keyed.requestId,
      origin: this.instances.self,
      status: null,
      answer: null,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + LIFETIME_MS),
    });
    if (!claimed) this.ended(keyed.requestId);
    if (claimed) return { kind: 'first', record: { id, key: keyed.key, callId: keyed.requestId } };
    const standing = await this.records.find(id);
    if (!standing) throw inProgress();
    if (!timingSafeEqual(standing.requestHash, requestHash)) {
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another request.');
    }
    return this.resume(standing, keyed.key);
  }

  /** Keeps the answer, or replaces a kept one by what came in late. */
  async keep({ id, key, callId }: KeyedRecord, answer: StoredAnswer): Promise<void> {
    await this.records.keep(id, callId, answer.status, this.vault.seal(answer, key, id));
  }

  /** Nothing happened: the key is free again. */
  discard({ id, callId }: KeyedRecord): Promise<void> {
    return this.records.discard(id, callId);
  }

  /** The first call is over, or its beginning came to nothing, whatever could be kept of it. */
  ended(callId: string): void {
    this.running.delete(callId);
  }

  private async resume(standing: IdempotencyKeyEntity, key: string): Promise<Begun> {
    const record = { id: standing.id, key, callId: standing.callId };
    if (standing.answer) {
      const answer = this.vault.open(standing.answer, key, standing.id);
      return answer ? { kind: 'replay', answer } : { kind: 'interrupted', record };
    }
    if (await this.isRunning(standing)) throw inProgress();
    return { kind: 'interrupted', record };
  }

  private isRunning({ origin, callId }: IdempotencyKeyEntity): Promise<boolean> {
    if (origin === this.instances.self) return Promise.resolve(this.running.has(callId));
    return this.instances.isAlive(origin);
  }
}

function recordId({ caller, method, path, key }: KeyedRequest): Buffer {
  const credential = caller.appId ? `app:${caller.appId}:${caller.accountId}` : `pat:${caller.tokenId}`;
  const keyHash = createHash('sha256').update(key).digest('hex');
  return createHash('sha256').update([credential, method, path, keyHash].join('\n')).digest();
}

function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', 'The first call with this Idempotency-Key is still running.');
}
