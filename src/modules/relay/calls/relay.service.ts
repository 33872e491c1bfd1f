import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { ShutdownState } from '../../../common/shutdown-state';
import { ApiError } from '../../../common/errors';
import { isDatabaseUnavailable } from '../../../core/database';
import { EventQuota } from '../../accounts';
import { buildAuditRow, RelayAuditWriter } from '../audit/relay-audit-writer';
import { type CallOutcome, type DeviceAnswer, RelayBus, type RelayCall } from '../../relay-bus';
import { RelayMetrics } from '../relay-metrics';
import { notDeliveredError, shuttingDownError } from '../relay.errors';
import { CallRouteResolver, type CallRoute } from './call-route-resolver';
import { IdempotentRelayCallsService, type IdempotentRelayCall } from './idempotent-relay-calls.service';
import type { CallContext } from './call-context';
import { CallHookRegistry, type CallHooks } from './call-hook-registry';
import { toReply, toReplyWithAnswer, type CallIdentity, type CallReply, type SuccessfulReply } from './call-reply';
import { checkAnswer, checkLateAnswer } from './method-result';
import {
  computeCallTimes,
  createCallAudit,
  getRequiredCapability,
  isEndingRequest,
  type UnsentRequest,
} from './relay-request';

/** Runs relayed calls: idempotency, choice of the device, answer and audit (docs/protocol/relay.md). */
@Injectable()
export class RelayService {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly bus: RelayBus,
    private readonly eventQuota: EventQuota,
    private readonly idempotentRelayCallsService: IdempotentRelayCallsService,
    private readonly callRouteResolver: CallRouteResolver,
    private readonly callHooks: CallHookRegistry,
    private readonly relayAuditWriter: RelayAuditWriter,
    private readonly metrics: RelayMetrics,
    private readonly clock: Clock,
    private readonly shutdownState: ShutdownState,
  ) {}

  /**
   * Runs the call, or replays its stored reply.
   * @param checkRequest checks the request against stored records. Does not run for a repeated call, since its records
   *   may be deleted
   * @throws ApiError any error of docs/protocol/relay.md#guarantee
   * @throws ReplayedProblemError the stored error of an earlier call with the same key
   */
  async runCall(
    context: CallContext,
    request: UnsentRequest,
    checkRequest?: () => Promise<void>,
  ): Promise<{ reply: SuccessfulReply; replayed: boolean }> {
    if (this.shutdownState.isClosing) throw shuttingDownError();
    const begun = await refuseIfDatabaseUnavailable(() => this.idempotentRelayCallsService.beginCall(context, request));
    if (begun.kind === 'replay') return { reply: begun.reply, replayed: true };
    try {
      return { reply: await this.runFirstCall(context, request, begun.idempotentCall, checkRequest), replayed: false };
    } finally {
      begun.idempotentCall?.markFinished();
    }
  }

  /** Sends the call and checks its answer. An unexpected error leaves open whether the call ran. Never rejects. */
  async sendCall(call: RelayCall): Promise<CallOutcome> {
    try {
      const outcome = await this.bus.sendCall(call);
      return outcome.kind === 'answered' ? { ...outcome, answer: checkAnswer(call.request, outcome.answer) } : outcome;
    } catch (error) {
      this.logger.error({ requestId: call.request.requestId, err: error as Error }, 'relayed call failed');
      return { kind: 'unknown', reason: 'device_disconnected', deviceId: null, routeMs: 0, deviceMs: 0 };
    }
  }

  private async runFirstCall(
    context: CallContext,
    request: UnsentRequest,
    idempotentCall: IdempotentRelayCall | null,
    checkRequest?: () => Promise<void>,
  ): Promise<SuccessfulReply> {
    const startedAt = this.clock.now();
    const startedMonotonicMs = this.clock.monotonicMs();
    const { accountId } = context.caller;
    const hooks = this.callHooks.createHooks(context, request);
    const route = await refuseIfDatabaseUnavailable(() =>
      this.prepareCall(context.caller, request, hooks, idempotentCall, checkRequest),
    );
    const { deadline, answerTimeoutMs } = computeCallTimes(this.bus.getServerTime(), request.timeoutMs);
    const call: RelayCall = {
      accountId,
      candidates: route.candidates ?? [],
      capability: getRequiredCapability(request),
      request: { ...request, deadline },
      answerTimeoutMs: answerTimeoutMs - this.getElapsedMs(startedMonotonicMs),
      audit: createCallAudit(context, request, startedAt),
      onLateAnswer: this.createLateAnswerHandler(request, hooks, idempotentCall),
    };
    const { reply: deviceReply, outcome } = await this.answerCall(call, route, context.disconnectSignal);
    const answer = outcome?.kind === 'answered' ? outcome.answer : null;
    const reply = hooks.onReply ? await hooks.onReply(deviceReply, answer, outcome?.deviceId ?? null) : deviceReply;
    const row = buildAuditRow(call, reply, outcome, this.getElapsedMs(startedMonotonicMs));
    this.metrics.observeCall(row);
    if (idempotentCall) await idempotentCall.storeReply(reply, row);
    else this.relayAuditWriter.enqueueRow(row);
    if (reply instanceof ApiError) throw reply;
    return reply;
  }

  /**
   * Checks the request, resolves the route, and runs the method's hook. If that fails, for instance with `not_found` or
   * `plan_limit_exceeded`, the idempotency record is discarded.
   */
  private async prepareCall(
    caller: Principal,
    request: UnsentRequest,
    hooks: CallHooks,
    idempotentCall: IdempotentRelayCall | null,
    checkRequest?: () => Promise<void>,
  ): Promise<CallRoute> {
    try {
      await checkRequest?.();
      if (!isEndingRequest(request)) await this.eventQuota.requireCapacity(caller.accountId);
      const route = await this.callRouteResolver.resolveRoute(caller, request);
      await hooks.beforeSending?.();
      return route;
    } catch (error) {
      await idempotentCall?.discardRecord();
      throw error;
    }
  }

  /** @returns the reply, and the outcome, null if the call did not have to go to a device */
  private async answerCall(
    call: RelayCall,
    route: CallRoute,
    disconnectSignal: AbortSignal,
  ): Promise<{ reply: CallReply; outcome: CallOutcome | null }> {
    const { requestId, method } = call.request;
    if (!route.candidates) return { reply: { status: 200, body: { requestId, result: route.result } }, outcome: null };
    const outcome = await this.sendToDevice(call, disconnectSignal);
    return { reply: toReply({ requestId, method }, outcome), outcome };
  }

  private async sendToDevice(call: RelayCall, disconnectSignal: AbortSignal): Promise<CallOutcome> {
    const { requestId } = call.request;
    // A caller with a key may retry to get the answer, so a disconnect cancels only calls without a key.
    if (call.audit.keyed) return this.sendCall(call);
    const cancel = () => this.bus.cancelCall(requestId, 'caller_gone');
    disconnectSignal.addEventListener('abort', cancel, { once: true });
    const pendingOutcome = this.sendCall(call);
    if (disconnectSignal.aborted) cancel();
    const outcome = await pendingOutcome;
    disconnectSignal.removeEventListener('abort', cancel);
    return outcome;
  }

  /** A method of its own: the handler lives for minutes and must retain the call's id, not its body. */
  private createLateAnswerHandler(
    { requestId, method }: CallIdentity,
    { onReply }: CallHooks,
    idempotentCall: IdempotentRelayCall | null,
  ) {
    return (lateAnswer: DeviceAnswer, deviceId: string | null) => {
      this.metrics.lateAnswerCounter.inc();
      const answer = checkLateAnswer({ requestId, method }, lateAnswer);
      const reply: CallReply = toReplyWithAnswer({ requestId, method }, answer);
      Promise.resolve(onReply ? onReply(reply, answer, deviceId) : reply)
        .then((lateReply) => idempotentCall?.replaceReply(lateReply))
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
