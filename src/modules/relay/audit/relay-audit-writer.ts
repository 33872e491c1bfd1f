import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { RelayRequest } from '@external-api/protocol';
import { AccountsService } from '../../accounts';
import { BufferedWriter } from '../../../common/buffered-writer';
import { ApiError } from '../../../common/errors';
import { EventPublisher, type DomainEvent } from '../../../core/events';
import { UnitOfWork } from '../../../core/database';
import { addCounter, addGauge } from '../../../core/metrics';
import type { RelayCall, CallOutcome } from '../../relay-bus';
import type { CallReply } from '../calls/call-reply';
import { getOutcomeKind } from '../relay.errors';
import type { RelayCallEntity } from './relay-call.entity';
import { RelayCallsRepository } from './relay-calls.repository';
import { toRelayEventDto } from './relay-event.dto';

const FLUSH_INTERVAL_MS = 500;
const MAX_BATCH_ROWS = 500;
const MAX_BUFFERED_ROWS = 20_000;

/** The part of a call that its audit row describes. */
export type AuditedCall = Pick<RelayCall, 'accountId' | 'audit'> & {
  request: Omit<RelayRequest, 'deadline' | 'params'>;
};

/** Writes audit rows in the background within a second. Rows of idempotent calls are written with their record. */
@Injectable()
export class RelayAuditWriter implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly bufferedWriter = new BufferedWriter<RelayCallEntity>('relay audit', {
    writeRows: (rows) => this.writeRows(rows),
    flushIntervalMs: FLUSH_INTERVAL_MS,
    maxBatchRows: MAX_BATCH_ROWS,
    maxBufferedRows: MAX_BUFFERED_ROWS,
    // The attempt of a queued message that outlives its lease in an outage is reported twice. One statement can't store
    // both rows, so that it would fail forever. The first one says how the attempt ended.
    merging: { getKey: ({ requestId }) => requestId, addTo: () => undefined },
  });

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsService,
    private readonly relayCallsRepository: RelayCallsRepository,
    private readonly eventPublisher: EventPublisher,
    registry: Registry,
  ) {
    addGauge(
      registry,
      'relay_audit_buffered_rows',
      'Audit rows that are not written yet',
      () => this.bufferedWriter.bufferedCount,
    );
    addCounter(
      registry,
      'relay_audit_dropped_rows_total',
      'Audit rows dropped because the buffer was full',
      () => this.bufferedWriter.droppedCount,
    );
  }

  onApplicationBootstrap(): void {
    this.bufferedWriter.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.bufferedWriter.stop();
  }

  /** Inserts, in the caller's transaction, the row that remains correct if this process dies now. */
  async insertUnknownOutcome(call: AuditedCall, unknownError: ApiError): Promise<void> {
    await this.saveRows([buildAuditRow(call, unknownError, null, null)]);
  }

  /**
   * Writes rows of completed calls and publishes the events of tokens' and apps' calls in one transaction. Account
   * devices have none: pages of the console that follow a command would cause more events than everything else.
   */
  writeRows(rows: RelayCallEntity[]): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const saved = await this.saveRows(rows);
      for (const row of saved.filter(({ callerDeviceId }) => callerDeviceId === null)) {
        this.eventPublisher.publishEvent(toRelayEvent(row));
      }
    });
  }

  removeRow(requestId: string): Promise<void> {
    return this.relayCallsRepository.remove(requestId);
  }

  /** Writes the row in the background. When the buffer is full, the oldest row is dropped with a warning. */
  enqueueRow(row: RelayCallEntity): void {
    this.bufferedWriter.add(row);
  }

  async findCall(accountId: string, requestId: string): Promise<RelayCallEntity | null> {
    await this.bufferedWriter.flush();
    return this.relayCallsRepository.find(accountId, requestId);
  }

  /** Leaves out rows whose accounts were deleted meanwhile, which would make each retry fail. */
  private async saveRows(rows: RelayCallEntity[]): Promise<RelayCallEntity[]> {
    const activeAccountIds = await this.accounts.lockExistingAccounts(rows.map((row) => row.accountId));
    const validRows = rows.filter((row) => activeAccountIds.has(row.accountId));
    return validRows.length > 0 ? this.relayCallsRepository.save(validRows) : [];
  }
}

/**
 * Builds the audit row of a call.
 * @param reply what the caller got, or what it was to get
 * @param outcome null if nothing is known about the device
 * @param totalMs null if the call outlived its origin
 */
export function buildAuditRow(
  { accountId, request, audit }: AuditedCall,
  reply: CallReply,
  outcome: CallOutcome | null,
  totalMs: number | null,
): RelayCallEntity {
  const error = reply instanceof ApiError ? reply : null;
  const sent = outcome && outcome.kind !== 'not_delivered' ? outcome : null;
  return {
    requestId: request.requestId,
    accountId,
    method: request.method,
    deviceId: outcome?.deviceId ?? null,
    sessionId: request.sessionId ?? null,
    machineId: request.machineId ?? null,
    tokenId: audit.tokenId,
    appId: audit.appId,
    callerDeviceId: audit.callerDeviceId ?? null,
    requestBytes: audit.requestBytes,
    resultBytes: sent?.kind === 'answered' && sent.answer.kind === 'result' ? sent.answer.bytes : null,
    status: reply.status,
    code: error?.code ?? null,
    outcome: error ? getOutcomeKind(error) : 'answered',
    routeMs: sent?.routeMs ?? null,
    deviceMs: sent?.deviceMs ?? null,
    totalMs,
    timedOut: request.method === 'machine.invoke' && isTimedOut(sent),
    createdAt: new Date(audit.startedAt),
    traceparent: request.traceparent ?? null,
  };
}

/** Returns whether the device ended the command at its time limit, which is a success of the call. */
function isTimedOut(outcome: CallOutcome | null): boolean {
  return outcome?.kind === 'answered' && outcome.answer.kind === 'result' && outcome.answer.result.timedOut === true;
}

/** Creates the webhook event of a relayed call (docs/protocol/webhooks.md#events). */
function toRelayEvent(row: RelayCallEntity): DomainEvent {
  return {
    type: row.status < 300 ? 'relay.completed' : 'relay.failed',
    accountId: row.accountId,
    traceparent: row.traceparent ?? null,
    data: toRelayEventDto(row),
  };
}
