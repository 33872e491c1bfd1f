import { Injectable, Logger } from '@nestjs/common';
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
import { UnitOfWork } from '../../../core/database';
import { RelayAuditWriter } from '../audit/relay-audit-writer';
import type { RelayCallEntity } from '../audit/relay-call.entity';
import { deviceDisconnectedError } from '../relay.errors';
import { isNotDelivered, type CallReply, type SuccessfulReply } from './call-reply';
import type { CallContext } from './call-context';
import { createCallAudit, type UnsentRequest } from './relay-request';

const REPLAYED_HEADERS = { 'Idempotency-Replayed': 'true' };

/** Idempotency record of one running call. */
export interface IdempotentRelayCall {
  /**
   * Stores the reply under the key, or releases the key if the call was not delivered; writes the audit row with it.
   */
  storeReply(reply: CallReply, row: RelayCallEntity): Promise<void>;
  /** Replaces the stored reply after a late answer, or releases the key if the device refused the call after all. */
  replaceReply(reply: CallReply): Promise<void>;
  discardRecord(): Promise<void>;
  /** Marks the call as no longer running on this instance, whether or not its reply was stored. */
  markFinished(): void;
}

/**
 * Starts calls under their `Idempotency-Key`, or replays their stored responses
 * (docs/protocol/external-api.md#idempotency).
 */
@Injectable()
export class IdempotentRelayCallsService {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly idempotencyService: IdempotencyService,
    private readonly unitOfWork: UnitOfWork,
    private readonly relayAuditWriter: RelayAuditWriter,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

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
    const transaction = this.unitOfWork.runInTransaction(async () => {
      const outcome = await this.idempotencyService.beginCall(idempotentRequest);
      // Committed before the call is published, so that it is recorded if this process dies.
      if (outcome.kind === 'first') await this.insertUnknownOutcome(context, request);
      return outcome;
    });
    const begun = await transaction.catch((error: unknown) => {
      this.idempotencyService.releaseCall(requestId);
      throw error;
    });
    if (begun.kind === 'first')
      return { kind: 'run', idempotentCall: this.createIdempotentCall(begun.record, requestId) };
    if (begun.kind === 'replay') return { kind: 'replay', reply: replayResponse(begun.response) };
    if (begun.kind === 'not_kept') throw responseNotStored(begun, begun.status < 300 ? 'answered' : 'unknown');
    const stored = this.toStoredResponse(deviceDisconnectedError(), begun.record.callId);
    await this.idempotencyService.storeResponse(begun.record, stored);
    return { kind: 'replay', reply: replayResponse(stored) };
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
      storeReply: (reply, row) => this.storeReply(record, reply, row).finally(markStored),
      markFinished: () => this.idempotencyService.releaseCall(requestId),
      // A late answer may arrive while the timeout that it replaces is still being written.
      replaceReply: async (reply) => {
        await stored;
        await this.settleRecord(record, reply);
      },
      discardRecord: () =>
        this.unitOfWork.runInTransaction(async () => {
          await this.idempotencyService.discardClaim(record);
          await this.relayAuditWriter.removeRow(requestId);
        }),
    };
  }

  private async storeReply(record: IdempotencyClaim, reply: CallReply, row: RelayCallEntity) {
    try {
      await this.unitOfWork.runInTransaction(async () => {
        await this.relayAuditWriter.writeRows([row]);
        await this.settleRecord(record, reply);
      });
    } catch (error) {
      // The caller still gets the reply. Retries with the key get an unknown outcome.
      this.logger.error({ requestId: record.callId, err: error }, 'idempotent response storage failed');
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
