import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { computeTurnId } from '../../../protocol';
import type { AttemptOutcome, DeliveryAttempt, MessageText } from '../../queued-messages';
import { buildAuditRow, RelayAuditWriter, type AuditedCall } from '../audit/relay-audit-writer';
import { RelayBus } from '../bus/relay-bus';
import type { RelayCall, RelayResult } from '../bus/relay-call';
import { CallRouteResolver } from '../calls/call-route-resolver';
import {
  computeCallTimes,
  getRequiredCapability,
  MAX_DEVICE_TIMEOUT_MS,
  type UnsentRequest,
} from '../calls/relay-request';
import { toResponse, type DeviceResponse } from '../calls/relay-response';
import { RelayMetrics } from '../relay-metrics';
import { deviceDisconnectedError, getCallOutcome } from '../relay.errors';

/** Sends queued messages to the present host devices of their sessions. */
@Injectable()
export class QueuedMessageSender {
  private readonly logger = new Logger('MessageQueue');

  constructor(
    private readonly bus: RelayBus,
    private readonly callRouteResolver: CallRouteResolver,
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
    const result = await this.publishCall(call);
    const response = toResponse({ requestId, method: 'session.message' }, result);
    if (!isNotDelivered(response)) {
      const totalMs = Math.round(this.clock.monotonicMs() - startedMonotonicMs);
      const row = buildAuditRow(call, response, result, totalMs);
      this.metrics.observeCall(row);
      this.relayAuditWriter.enqueueRow(row);
    }
    const outcome = toOutcome(requestId, response, result);
    this.logger.debug({ accountId, sessionId, requestId, outcome: outcome.kind }, 'queued message attempted');
    return outcome;
  }

  /** Writes the audit row of an attempt whose instance died. */
  recordLostAttempt(attempt: DeliveryAttempt): void {
    const request = createQueuedRequest(attempt, { content: '' });
    const call: AuditedCall = { accountId: attempt.accountId, request, audit: this.createAudit(attempt, 0) };
    this.relayAuditWriter.enqueueRow(buildAuditRow(call, deviceDisconnectedError(), null, null));
  }

  /** Returns null if the devices can't be determined now. */
  private async prepareCall(attempt: DeliveryAttempt, text: MessageText): Promise<RelayCall | null> {
    const { accountId, sessionId, requestId } = attempt;
    try {
      const candidates = await this.callRouteResolver.findQueuedMessageCandidates(accountId, sessionId);
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

  /** An unexpected error leaves open whether the device got the message. */
  private async publishCall(call: RelayCall): Promise<RelayResult> {
    try {
      return await this.bus.sendCall(call);
    } catch (error) {
      this.logger.error({ requestId: call.request.requestId, err: error as Error }, 'queued message call failed');
      return { kind: 'unknown', reason: 'device_disconnected', deviceId: null, routeMs: 0, deviceMs: 0 };
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

function isNotDelivered(response: DeviceResponse): boolean {
  return response instanceof ApiError && getCallOutcome(response) === 'not_delivered';
}

function toOutcome(requestId: string, response: DeviceResponse, result: RelayResult): AttemptOutcome {
  if (!(response instanceof ApiError)) {
    const hasTurn = typeof response.body.result.turn === 'object' && response.body.result.turn !== null;
    return { kind: 'delivered', turnId: hasTurn ? computeTurnId(requestId) : null };
  }
  switch (getCallOutcome(response)) {
    case 'not_delivered':
      return { kind: 'not_delivered', reason: result.kind === 'not_delivered' ? result.reason : 'device_busy' };
    case 'answered':
      return { kind: 'failed', errorCode: getDeviceErrorCode(result) };
    case 'unknown':
    case null:
      return { kind: 'unknown' };
  }
}

function getDeviceErrorCode(result: RelayResult): string {
  return result.kind === 'answered' && result.answer.kind === 'error' ? result.answer.error.code : 'internal';
}
