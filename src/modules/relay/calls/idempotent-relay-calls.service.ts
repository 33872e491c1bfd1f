import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ApiError, toProblemDocument } from '../../../common/errors';
import { ReplayedProblemError } from '../../../common/http';
import { Config } from '../../../core/config';
import {
  responseNotStored,
  IdempotencyService,
  type IdempotencyClaim,
  type StoredResponse,
} from '../../../access/idempotency';
import { isDatabaseUnavailable, UnitOfWork } from '../../../core/database';
import { RelayAuditWriter } from '../audit/relay-audit-writer';
import type { RelayCallEntity } from '../audit/relay-call.entity';
import { deviceDisconnectedError } from '../relay.errors';
import { isNotDelivered, type CallReply, type SuccessfulReply } from './call-reply';
import type { CallContext } from './call-context';
import { createCallAudit, type UnsentRequest } from './relay-request';

const REPLAYED_HEADERS = { 'Idempotency-Replayed': 'true' };
/** Delay before a record is written again that the database did not store. */
const WRITE_RETRY_MS = 500;

/** Idempotency record of one running call. Its methods don't reject: what the caller gets does not depend on them. */
export interface IdempotentRelayCall {
  /**
   * Stores the reply under the key, or releases the key if the call was not delivered; writes the audit row with it.
   */
  storeReply(reply: CallReply, row: RelayCallEntity): Promise<void>;
  /** Replaces the stored reply after a late answer, or releases the key if the device refused the call after all. */
  replaceReply(reply: CallReply): Promise<void>;
  discardRecord(): Promise<void>;
  /** Marks the call as no longer running on this instance, as soon as the database has stored what became of it. */
  markFinished(): void;
}

/**
 * Starts calls under their `Idempotency-Key`, or replays their stored responses
 * (docs/protocol/external-api.md#idempotency).
 */
@Injectable()
export class IdempotentRelayCallsService implements OnApplicationShutdown {
  private readonly logger = new Logger('Relay');
  /** Writes that the database has not stored yet, by the id of their call. They run one after another. */
  private readonly pendingWrites = new Map<string, Promise<void>>();
  private lastPendingWrite = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly idempotencyService: IdempotencyService,
    private readonly unitOfWork: UnitOfWork,
    private readonly relayAuditWriter: RelayAuditWriter,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.lastPendingWrite;
  }

  /**
   * Claims the key and starts the call, or returns the stored response. Without a key, `idempotentCall` is null.
   * @throws ReplayedProblemError if the first call failed
   * @throws ApiError 409 `answer_not_kept` if the response of the first call was not stored
   */
  async beginCall(
    context: CallContext,
    request: UnsentRequest,
  ): Promise<{ kind: 'run'; idempotentCall: IdempotentRelayCall | null } | { kind: 'replay'; reply: SuccessfulReply }> {
    const { idempotentRequest, requestId } = context;
    if (!idempotentRequest) return { kind: 'run', idempotentCall: null };
    let claim: IdempotencyClaim | undefined;
    const transaction = this.unitOfWork.runInTransaction(async () => {
      const outcome = await this.idempotencyService.beginCall(idempotentRequest);
      if (outcome.kind === 'first') claim = outcome.record;
      // Committed before the call is published, so that it is recorded if this process dies.
      if (outcome.kind === 'first') await this.insertUnknownOutcome(context, request);
      return outcome.kind === 'interrupted' ? this.storeInterruption(outcome.record) : outcome;
    });
    const begun = await transaction.catch((error: unknown) => {
      // The record may be committed although the connection was lost, and nothing is sent.
      if (claim && isDatabaseUnavailable(error)) this.discardLater(claim);
      this.markFinished(requestId);
      throw error;
    });
    if (begun.kind === 'first')
      return { kind: 'run', idempotentCall: this.createIdempotentCall(begun.record, requestId) };
    if (begun.kind === 'replay') return { kind: 'replay', reply: replayResponse(begun.response) };
    throw responseNotStored(begun, begun.status < 300 ? 'answered' : 'unknown');
  }

  private async storeInterruption(record: IdempotencyClaim): Promise<{ kind: 'replay'; response: StoredResponse }> {
    const response = this.toStoredResponse(deviceDisconnectedError(), record.callId);
    await this.idempotencyService.storeInterruption(record, response);
    return { kind: 'replay', response };
  }

  private insertUnknownOutcome(context: CallContext, request: UnsentRequest): Promise<void> {
    const { accountId } = context.caller;
    const audit = createCallAudit(context, request, this.clock.now());
    return this.relayAuditWriter.insertUnknownOutcome({ accountId, request, audit }, deviceDisconnectedError());
  }

  private createIdempotentCall(record: IdempotencyClaim, requestId: string): IdempotentRelayCall {
    let markStored!: () => void;
    const stored = new Promise<void>((resolve) => (markStored = resolve));
    return {
      storeReply: (reply, row) =>
        this.writeOutcome(requestId, async () => {
          await this.relayAuditWriter.writeRows([row]);
          await this.settleRecord(record, reply);
        }).finally(markStored),
      markFinished: () => this.markFinished(requestId),
      // A late answer may arrive while the timeout that it replaces is still being written.
      replaceReply: async (reply) => {
        await stored;
        await this.pendingWrites.get(requestId);
        await this.writeOutcome(requestId, () => this.settleRecord(record, reply));
      },
      discardRecord: () => this.writeOutcome(requestId, () => this.discardRecord(record)),
    };
  }

  private async discardRecord(record: IdempotencyClaim): Promise<void> {
    await this.idempotencyService.discardClaim(record);
    await this.relayAuditWriter.removeRow(record.callId);
  }

  private discardLater(record: IdempotencyClaim): void {
    this.writeLater(record.callId, () => this.discardRecord(record));
  }

  /** While a write is pending, the call counts as running. Otherwise a retry would store an unknown outcome. */
  private markFinished(requestId: string): void {
    const pendingWrite = this.pendingWrites.get(requestId);
    const release = () => this.idempotencyService.releaseCall(requestId);
    if (pendingWrite) void pendingWrite.then(release);
    else release();
  }

  /**
   * Writes what became of a call. If the database is unavailable, that happens later, and nobody waits for it. After
   * another error, the caller still gets the reply, and retries with the key get an unknown outcome.
   */
  private async writeOutcome(requestId: string, write: () => Promise<void>): Promise<void> {
    try {
      await this.unitOfWork.runInTransaction(write);
    } catch (error) {
      this.logger.error({ requestId, err: error as Error }, 'idempotent response storage failed');
      if (isDatabaseUnavailable(error)) this.writeLater(requestId, write);
    }
  }

  /** Writes as soon as the database is available, after earlier pending writes. */
  private writeLater(requestId: string, write: () => Promise<void>): void {
    const pendingWrite = this.lastPendingWrite.then(() => this.repeatWrite(requestId, write));
    this.lastPendingWrite = pendingWrite;
    this.pendingWrites.set(requestId, pendingWrite);
    void pendingWrite.then(() => this.pendingWrites.delete(requestId));
  }

  /** Repeats the write until the database is available or this process stops. Never rejects. */
  private async repeatWrite(requestId: string, write: () => Promise<void>): Promise<void> {
    while (!this.isStopping) {
      try {
        return await this.unitOfWork.runInTransaction(write);
      } catch (error) {
        if (!isDatabaseUnavailable(error))
          return this.logger.error({ requestId, err: error as Error }, 'idempotent response storage failed');
      }
      await sleep(WRITE_RETRY_MS);
    }
  }

  /** Stores the reply, or deletes the record of a call that was not delivered, so that the key can be used again. */
  private async settleRecord(record: IdempotencyClaim, reply: CallReply): Promise<void> {
    if (isNotDelivered(reply)) await this.idempotencyService.discardClaim(record);
    else await this.idempotencyService.storeResponse(record, this.toStoredResponse(reply, record.callId));
  }

  private toStoredResponse(reply: CallReply, requestId: string): StoredResponse {
    if (!(reply instanceof ApiError)) return { ...reply, headers: {} };
    const body = toProblemDocument(reply, this.config.publicUrl, requestId);
    return { status: reply.status, body, headers: reply.extras.headers ?? {} };
  }
}

function replayResponse({ status, body, headers }: StoredResponse): SuccessfulReply {
  if (status >= 300) throw new ReplayedProblemError(status, body, { ...headers, ...REPLAYED_HEADERS });
  return { status, body } as SuccessfulReply;
}
