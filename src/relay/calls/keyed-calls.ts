import { Injectable, Logger } from '@nestjs/common';
import { ApiError, toProblem } from '../../common/errors';
import { StoredProblem } from '../../common/http';
import { Config } from '../../config';
import { Idempotency, type KeyedRecord, type StoredAnswer } from '../../idempotency';
import { UnitOfWork } from '../../persistence';
import { RelayAudit } from '../audit/relay-audit';
import type { RelayCallEntity } from '../audit/relay-call.entity';
import { deviceDisconnected } from '../relay.errors';
import type { RelayOrder } from './relay-order';
import type { RelayReply } from './relay-reply.dto';

const REPLAYED = { 'Idempotency-Replayed': 'true' };

/** The record of one call that came with an `Idempotency-Key`. */
export interface KeyedCall {
  /** Keeps or frees the key by what is known of the call, together with its audit row. */
  conclude(answer: RelayReply | ApiError, row: RelayCallEntity): Promise<void>;
  replace(answer: RelayReply | ApiError): Promise<void>;
  discard(): Promise<void>;
  /** The call no longer runs here, whatever could be kept of it. */
  ended(): void;
}

/** Begins calls under their `Idempotency-Key`, or replays what became of them (external-api.md, Idempotency). */
@Injectable()
export class KeyedCalls {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly idempotency: Idempotency,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: RelayAudit,
    private readonly config: Config,
  ) {}

  /**
   * `keyed` is null for a call without a key.
   * @throws StoredProblem where the first call ended with one
   */
  async begin(
    order: RelayOrder,
  ): Promise<{ kind: 'run'; keyed: KeyedCall | null } | { kind: 'replay'; reply: RelayReply }> {
    const { context, caller, request } = order;
    if (context.idempotencyKey === null) return { kind: 'run', keyed: null };
    const beginning = this.unitOfWork.run(async () => {
      const outcome = await this.idempotency.begin({
        caller,
        method: 'POST',
        path: context.path,
        key: context.idempotencyKey!,
        request,
        requestId: context.requestId,
      });
      // Committed before the call is published: should this process die, this is what is known of it.
      if (outcome.kind === 'first') await this.audit.open(order, deviceDisconnected());
      return outcome;
    });
    const begun = await beginning.catch((error: unknown) => {
      this.idempotency.ended(context.requestId);
      throw error;
    });
    if (begun.kind === 'first') return { kind: 'run', keyed: this.keyedCall(begun.record, context.requestId) };
    if (begun.kind === 'replay') return { kind: 'replay', reply: replay(begun.answer) };
    const interrupted = this.toAnswer(deviceDisconnected(), begun.record.callId);
    await this.idempotency.keep(begun.record, interrupted);
    return { kind: 'replay', reply: replay(interrupted) };
  }

  private keyedCall(record: KeyedRecord, requestId: string): KeyedCall {
    let markConcluded!: () => void;
    const concluded = new Promise<void>((resolve) => (markConcluded = resolve));
    return {
      conclude: (answer, row) => this.conclude(record, answer, row).finally(markConcluded),
      ended: () => this.idempotency.ended(requestId),
      // A late answer may come while the time-out that it replaces is still being written.
      replace: async (answer) => {
        await concluded;
        await this.idempotency.keep(record, this.toAnswer(answer, requestId));
      },
      discard: () =>
        this.unitOfWork.run(async () => {
          await this.idempotency.discard(record);
          await this.audit.remove(requestId);
        }),
    };
  }

  private async conclude(record: KeyedRecord, answer: RelayReply | ApiError, row: RelayCallEntity) {
    try {
      await this.unitOfWork.run(async () => {
        await this.audit.write([row]);
        if (row.outcome === 'not_delivered') await this.idempotency.discard(record);
        else await this.idempotency.keep(record, this.toAnswer(answer, record.callId));
      });
    } catch (error) {
      // The caller still gets the answer; the key goes on saying that the outcome is unknown.
      this.logger.error({ requestId: record.callId, err: error }, 'an answer was not kept under its key');
    }
  }

  private toAnswer(answer: RelayReply | ApiError, requestId: string): StoredAnswer {
    if (!(answer instanceof ApiError)) return { status: 200, body: answer, headers: {} };
    const body = toProblem(answer, this.config.publicUrl, requestId);
    return { status: answer.status, body, headers: answer.extras.headers ?? {} };
  }
}

function replay({ status, body, headers }: StoredAnswer): RelayReply {
  if (status !== 200) throw new StoredProblem(status, body, { ...headers, ...REPLAYED });
  return body as RelayReply;
}
