import { Injectable, Logger } from '@nestjs/common';
import { computeTurnId } from '@external-api/protocol';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import type { AttemptOutcome, DeliveryAttempt, MessageText } from '../../queued-messages';
import { buildAuditRow, RelayAuditWriter, type AuditedCall } from '../audit/relay-audit-writer';
import { RelayBus, type RelayCall, type CallOutcome } from '../../relay-bus';
import { CallRouteResolver } from '../calls/call-route-resolver';
import {
  computeCallTimes,
  getRequiredCapability,
  MAX_DEVICE_TIMEOUT_MS,
  type UnsentRequest,
} from '../calls/relay-request';
import { isNotDelivered, toReply } from '../calls/call-reply';
import { RelayService } from '../calls/relay.service';
import { TurnStartRecorder } from '../calls/turn-start-recorder';
import { RelayMetrics } from '../relay-metrics';
import { deviceDisconnectedError, getOutcomeKind } from '../relay.errors';

/** Sends queued messages to the present host devices of their sessions. */
@Injectable()
export class QueuedMessageSender {
  private readonly logger = new Logger('MessageQueue');

  constructor(
    private readonly bus: RelayBus,
    private readonly relayService: RelayService,
    private readonly callRouteResolver: CallRouteResolver,
    private readonly turnStartRecorder: TurnStartRecorder,
    private readonly relayAuditWriter: RelayAuditWriter,
    private readonly metrics: RelayMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the message at most once. Never rejects. An attempt that did not reach a device leaves neither an audit row
   * nor an event, since there may be many.
   */
  async sendMessage(attempt: DeliveryAttempt, text: MessageText): Promise<AttemptOutcome> {
    const startedMonotonicMs = this.clock.monotonicMs();
    const { accountId, sessionId, requestId } = attempt;
    const call = await this.prepareCall(attempt, text);
    if (!call) return { kind: 'not_delivered', reason: 'relay_unavailable' };
    const outcome = await this.relayService.sendCall(call);
    const reply = toReply({ requestId, method: 'session.message' }, outcome);
    if (outcome.kind === 'answered')
      await this.turnStartRecorder.recordTurn({ ...attempt, ...outcome }, outcome.answer);
    if (!isNotDelivered(reply)) {
      const totalMs = Math.round(this.clock.monotonicMs() - startedMonotonicMs);
      const row = buildAuditRow(call, reply, outcome, totalMs);
      this.metrics.observeCall(row);
      this.relayAuditWriter.enqueueRow(row);
    }
    const attempted = toAttemptOutcome(requestId, reply, outcome);
    this.logger.debug({ accountId, sessionId, requestId, outcome: attempted.kind }, 'queued message attempted');
    return attempted;
  }

  /** Writes the audit row of an attempt whose instance died. */
  recordLostAttempt(attempt: DeliveryAttempt): void {
    const request = createQueuedRequest(attempt, { content: '' });
    const call: AuditedCall = { accountId: attempt.accountId, request, audit: this.createAudit(attempt, 0) };
    this.relayAuditWriter.enqueueRow(buildAuditRow(call, deviceDisconnectedError(), null, null));
  }

  /** Returns null if the devices can't be determined now. */
  private async prepareCall(attempt: DeliveryAttempt, text: MessageText): Promise<RelayCall | null> {
    const { accountId, sessionId, requestId, machineIds } = attempt;
    try {
      const candidates = await this.callRouteResolver.findQueuedMessageCandidates(accountId, sessionId, machineIds);
      const request = createQueuedRequest(attempt, text);
      const { deadline, answerTimeoutMs } = computeCallTimes(this.bus.getServerTime(), request.timeoutMs);
      return {
        accountId,
        candidates,
        capability: getRequiredCapability(request),
        request: { ...request, deadline },
        answerTimeoutMs,
        audit: this.createAudit(attempt, Buffer.byteLength(JSON.stringify(request.params))),
        onLateAnswer: () => this.metrics.lateAnswerCounter.inc(),
      };
    } catch (error) {
      this.logger.warn({ requestId, reason: (error as Error).message }, 'queued message not routed');
      return null;
    }
  }

  /** With `keyed`, the call continues without its origin: nobody hung up, so the device must not cancel it. */
  private createAudit({ tokenId, appId, callerDeviceId }: DeliveryAttempt, requestBytes: number): RelayCall['audit'] {
    return { tokenId, appId, callerDeviceId, requestBytes, keyed: true, startedAt: this.clock.now() };
  }
}

function createQueuedRequest({ requestId, sessionId, ...caller }: DeliveryAttempt, text: MessageText): UnsentRequest {
  return {
    requestId,
    method: 'session.message',
    sessionId,
    timeoutMs: MAX_DEVICE_TIMEOUT_MS,
    caller: caller.callerDeviceId !== null ? 'device' : caller.appId !== null ? 'app' : 'pat',
    params: { ...text, waitMs: 0 },
  };
}

function toAttemptOutcome(requestId: string, reply: ReturnType<typeof toReply>, outcome: CallOutcome): AttemptOutcome {
  if (!(reply instanceof ApiError)) {
    const hasTurn = typeof reply.body.result.turn === 'object' && reply.body.result.turn !== null;
    return { kind: 'delivered', turnId: hasTurn ? computeTurnId(requestId) : null };
  }
  switch (getOutcomeKind(reply)) {
    case 'not_delivered':
      return { kind: 'not_delivered', reason: outcome.kind === 'not_delivered' ? outcome.reason : 'device_busy' };
    case 'answered':
      return { kind: 'failed', errorCode: getDeviceErrorCode(outcome) };
    case 'unknown':
    case null:
      return { kind: 'unknown' };
  }
}

function getDeviceErrorCode(outcome: CallOutcome): string {
  return outcome.kind === 'answered' && outcome.answer.kind === 'error' ? outcome.answer.error.code : 'internal';
}
