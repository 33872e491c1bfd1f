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
import { deviceDisconnectedError, getCallOutcome } from '../relay.errors';
import type { CallReply, CallResponse } from './call-reply';
import type { CallContext } from './call-context';
import { createCallAudit, type UnsentRequest } from './relay-request';

const REPLAYED_HEADERS = { 'Idempotency-Replayed': 'true' };

/** Idempotency record of one running call. */
export interface IdempotentRelayCall {
  /**
   * Stores the answer under the key, or releases the key if the call was not delivered; writes the audit row with it.
   */
  storeResult(answer: CallResponse, row: RelayCallEntity): Promise<void>;
  /** Replaces the stored answer by a late one, or releases the key if the device refused the call after all. */
  replaceResult(answer: CallResponse): Promise<void>;
  discardRecord(): Promise<void>;
  /** Marks the call as no longer running on this instance, whether or not its answer was stored. */
  markFinished(): void;
}

/**
 * Starts calls under their `Idempotency-Key`, or replays their stored answers
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
   * Claims the key and starts the call, or returns the stored answer. `keyed` is null for a call without a key.
   * @throws ReplayedProblemError if the first call failed
   * @throws ApiError 409 `answer_not_kept` if the answer of the first call was not stored
   */
  async beginCall(
    context: CallContext,
    request: UnsentRequest,
  ): Promise<{ kind: 'run'; keyed: IdempotentRelayCall | null } | { kind: 'replay'; reply: CallReply }> {
    const { caller, path, idempotencyKey, body, requestId } = context;
    if (idempotencyKey === null) return { kind: 'run', keyed: null };
    const transaction = this.unitOfWork.runInTransaction(async () => {
      const outcome = await this.idempotencyService.beginCall({
        caller,
        method: 'POST',
        path,
        key: idempotencyKey,
        request: body,
        requestId,
      });
      // Committed before the call is published, so that it is recorded if this process dies.
      if (outcome.kind === 'first') await this.insertUnknownOutcome(context, request);
      return outcome;
    });
    const begun = await transaction.catch((error: unknown) => {
      this.idempotencyService.releaseCall(requestId);
      throw error;
    });
    if (begun.kind === 'first') return { kind: 'run', keyed: this.createIdempotentCall(begun.record, requestId) };
    if (begun.kind === 'replay') return { kind: 'replay', reply: replayAnswer(begun.answer) };
    if (begun.kind === 'not_kept') throw responseNotStored(begun, begun.status < 300 ? 'answered' : 'unknown');
    const interruptedAnswer = this.toStoredAnswer(deviceDisconnectedError(), begun.record.callId);
    await this.idempotencyService.storeResponse(begun.record, interruptedAnswer);
    return { kind: 'replay', reply: replayAnswer(interruptedAnswer) };
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
      storeResult: (answer, row) => this.storeResult(record, answer, row).finally(markStored),
      markFinished: () => this.idempotencyService.releaseCall(requestId),
      // A late answer may arrive while the timeout that it replaces is still being written.
      replaceResult: async (answer) => {
        await stored;
        await this.settleRecord(record, answer);
      },
      discardRecord: () =>
        this.unitOfWork.runInTransaction(async () => {
          await this.idempotencyService.discardClaim(record);
          await this.relayAuditWriter.removeRow(requestId);
        }),
    };
  }

  private async storeResult(record: IdempotencyClaim, answer: CallResponse, row: RelayCallEntity) {
    try {
      await this.unitOfWork.runInTransaction(async () => {
        await this.relayAuditWriter.writeRows([row]);
        await this.settleRecord(record, answer);
      });
    } catch (error) {
      // The caller still gets the answer. Retries with the key get an unknown outcome.
      this.logger.error({ requestId: record.callId, err: error }, 'idempotent answer storage failed');
    }
  }

  /** Stores the answer, or deletes the record of a call that was not delivered, so that the key can be used again. */
  private async settleRecord(record: IdempotencyClaim, answer: CallResponse): Promise<void> {
    if (isNotDelivered(answer)) await this.idempotencyService.discardClaim(record);
    else await this.idempotencyService.storeResponse(record, this.toStoredAnswer(answer, record.callId));
  }

  private toStoredAnswer(answer: CallResponse, requestId: string): StoredResponse {
    if (!(answer instanceof ApiError)) return { ...answer, headers: {} };
    const body = toProblemDocument(answer, this.config.publicUrl, requestId);
    return { status: answer.status, body, headers: answer.extras.headers ?? {} };
  }
}

function isNotDelivered(answer: CallResponse): boolean {
  return answer instanceof ApiError && getCallOutcome(answer) === 'not_delivered';
}

function replayAnswer({ status, body, headers }: StoredResponse): CallReply {
  if (status >= 300) throw new ReplayedProblemError(status, body, { ...headers, ...REPLAYED_HEADERS });
  return { status, body } as CallReply;
}
