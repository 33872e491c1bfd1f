import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ShutdownState } from '../../../common/shutdown-state';
import { ApiError } from '../../../common/errors';
import { isDatabaseUnavailable } from '../../../core/database';
import { buildAuditRow, RelayAuditWriter } from '../audit/relay-audit-writer';
import type { DeviceAnswer } from '../bus/device-answer';
import { RelayBus } from '../bus/relay-bus';
import type { RelayCall, RelayResult } from '../bus/relay-call';
import { RelayMetrics } from '../relay-metrics';
import { notDeliveredError, shuttingDownError } from '../relay.errors';
import { CallRouteResolver, type CallRoute } from './call-route-resolver';
import { IdempotentRelayCallsService, type IdempotentRelayCall } from './idempotent-relay-calls.service';
import type { CallReply, CallResponse } from './call-reply';
import type { CallContext } from './call-context';
import { DecisionRecorder, toSentDecision, type SentDecision } from './decision-recorder';
import { InvocationRecorder, toStartedInvocation, type StartedInvocation } from './invocation-recorder';
import { computeCallTimes, createCallAudit, getRequiredCapability, type UnsentRequest } from './relay-request';
import { toReplyOrError, toResponse, type CallIdentity } from './relay-response';

/** Runs relayed calls: idempotency, choice of the device, answer and audit (docs/protocol/relay.md). */
@Injectable()
export class RelayService {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly bus: RelayBus,
    private readonly idempotentRelayCallsService: IdempotentRelayCallsService,
    private readonly callRouteResolver: CallRouteResolver,
    private readonly decisionRecorder: DecisionRecorder,
    private readonly invocationRecorder: InvocationRecorder,
    private readonly relayAuditWriter: RelayAuditWriter,
    private readonly metrics: RelayMetrics,
    private readonly clock: Clock,
    private readonly shutdownState: ShutdownState,
  ) {}

  /**
   * Runs the call, or replays its stored reply.
   * @throws ApiError any error of docs/protocol/relay.md#guarantee
   * @throws ReplayedProblemError the stored error of an earlier call with the same key
   */
  async runCall(context: CallContext, request: UnsentRequest): Promise<{ reply: CallReply; replayed: boolean }> {
    if (this.shutdownState.isClosing) throw shuttingDownError();
    const begun = await refuseIfDatabaseUnavailable(() => this.idempotentRelayCallsService.beginCall(context, request));
    if (begun.kind === 'replay') return { reply: begun.reply, replayed: true };
    try {
      return { reply: await this.runFirstCall(context, request, begun.keyed), replayed: false };
    } finally {
      begun.keyed?.markFinished();
    }
  }

  private async runFirstCall(
    context: CallContext,
    request: UnsentRequest,
    idempotentCall: IdempotentRelayCall | null,
  ): Promise<CallReply> {
    const startedAt = this.clock.now();
    const startedMonotonicMs = this.clock.monotonicMs();
    const { accountId } = context.caller;
    const decision = toSentDecision(context, request);
    const invocation = toStartedInvocation(accountId, request);
    const route = await refuseIfDatabaseUnavailable(() =>
      this.prepareCall(accountId, request, invocation, idempotentCall),
    );
    const { deadline, answerTimeoutMs } = computeCallTimes(this.bus.getServerTime(), request.timeoutMs);
    const call: RelayCall = {
      accountId,
      candidates: route.candidates ?? [],
      capability: getRequiredCapability(request),
      request: { ...request, deadline },
      answerTimeoutMs: answerTimeoutMs - this.getElapsedMs(startedMonotonicMs),
      audit: createCallAudit(context, request, startedAt),
      onLateAnswer: this.createLateAnswerHandler(request, { decision, invocation }, idempotentCall),
    };
    const { response: answered, result } = await this.answerCall(call, route, context.disconnectSignal);
    const response = invocation ? await this.invocationRecorder.recordResult(invocation, result, answered) : answered;
    if (decision && result?.kind === 'answered') await this.decisionRecorder.recordAnswer(decision, result.answer);
    const row = buildAuditRow(call, response, result, this.getElapsedMs(startedMonotonicMs));
    this.metrics.observeCall(row);
    if (idempotentCall) await idempotentCall.storeResult(response, row);
    else this.relayAuditWriter.enqueueRow(row);
    if (response instanceof ApiError) throw response;
    return response;
  }

  /**
   * Resolves the route, and stores the invocation that the call starts. If that fails, for instance with `not_found`,
   * the idempotency record is discarded.
   */
  private async prepareCall(
    accountId: string,
    request: UnsentRequest,
    invocation: StartedInvocation | null,
    idempotentCall: IdempotentRelayCall | null,
  ): Promise<CallRoute> {
    try {
      const route = await this.callRouteResolver.resolveRoute(accountId, request);
      if (invocation) await this.invocationRecorder.recordSending(invocation);
      return route;
    } catch (error) {
      await idempotentCall?.discardRecord();
      throw error;
    }
  }

  /** @returns the response, and the result of the device, null if the call did not have to go to one */
  private async answerCall(
    call: RelayCall,
    route: CallRoute,
    disconnectSignal: AbortSignal,
  ): Promise<{ response: CallResponse; result: RelayResult | null }> {
    const { requestId, method } = call.request;
    if (!route.candidates)
      return { response: { status: 200, body: { requestId, result: route.result } }, result: null };
    const result = await this.sendToDevice(call, disconnectSignal);
    return { response: toResponse({ requestId, method }, result), result };
  }

  private async sendToDevice(call: RelayCall, disconnectSignal: AbortSignal): Promise<RelayResult> {
    const { requestId } = call.request;
    // A caller with a key may retry to get the answer, so a disconnect cancels only calls without a key.
    if (call.audit.keyed) return this.sendCall(call);
    const cancel = () => this.bus.cancelCall(requestId, 'caller_gone');
    disconnectSignal.addEventListener('abort', cancel, { once: true });
    const pendingResult = this.sendCall(call);
    if (disconnectSignal.aborted) cancel();
    const result = await pendingResult;
    disconnectSignal.removeEventListener('abort', cancel);
    return result;
  }

  /** An unexpected error leaves open whether the call ran. */
  private async sendCall(call: RelayCall): Promise<RelayResult> {
    try {
      return await this.bus.sendCall(call);
    } catch (error) {
      this.logger.error({ requestId: call.request.requestId, err: error as Error }, 'relayed call failed');
      return { kind: 'unknown', reason: 'device_disconnected', deviceId: null, routeMs: 0, deviceMs: 0 };
    }
  }

  /** A method of its own: the handler lives for minutes and must retain the call's id, not its body. */
  private createLateAnswerHandler(
    { requestId, method }: CallIdentity,
    { decision, invocation }: { decision: SentDecision | null; invocation: StartedInvocation | null },
    idempotentCall: IdempotentRelayCall | null,
  ) {
    return (answer: DeviceAnswer) => {
      this.metrics.lateAnswerCounter.inc();
      if (decision) void this.decisionRecorder.recordAnswer(decision, answer);
      const response = toReplyOrError({ requestId, method }, answer);
      const stored = invocation ? this.invocationRecorder.recordLateAnswer(invocation, answer, response) : response;
      Promise.resolve(stored)
        .then((lateResponse) => idempotentCall?.replaceResult(lateResponse))
        .catch((error: Error) => this.logger.error({ requestId, err: error }, 'late answer storage failed'));
    };
  }

  private getElapsedMs(startedMonotonicMs: number): number {
    return Math.round(this.clock.monotonicMs() - startedMonotonicMs);
  }
}

/** Reports an unavailable database as `relay_unavailable`: nothing was sent yet, so the outcome is `not_delivered`. */
export async function refuseIfDatabaseUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw notDeliveredError('relay_unavailable');
    throw error;
  }
}
