import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Draining } from '../../common/draining';
import { ApiError } from '../../common/errors';
import { isDatabaseUnavailable } from '../../persistence';
import type { RelayRequest } from '../../wire';
import { RelayAudit } from '../audit/relay-audit';
import type { DeviceAnswer } from '../bus/device-answer';
import { RelayBus, type Candidate, type RelayResult } from '../bus/relay-bus';
import { RelayMetrics } from '../relay-metrics';
import { deviceDisconnected, deviceError, draining, notDelivered, timedOut } from '../relay.errors';
import { KeyedCalls, type KeyedCall } from './keyed-calls';
import type { RelayOrder } from './relay-order';
import type { RelayReply } from './relay-reply.dto';

/** The device's own time-out must reach the origin before the origin gives up: the timers nest. */
const ORIGIN_GRACE_MS = 2_000;
const START_GRACE_MS = 1_000;

/** When a call began: Unix ms, and a mark of the monotonic clock for durations. */
interface Start {
  at: number;
  mark: number;
}

/** What came of a call: the reply or the refusal, and what the audit notes of it. */
interface Ending {
  answer: RelayReply | ApiError;
  deviceId: string | null;
  resultBytes: number | null;
  routeMs: number | null;
  deviceMs: number | null;
}

/** Runs a relayed call: idempotency, device, answer, audit (relay.md). */
@Injectable()
export class RelayService {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly bus: RelayBus,
    private readonly keyedCalls: KeyedCalls,
    private readonly audit: RelayAudit,
    private readonly metrics: RelayMetrics,
    private readonly clock: Clock,
    private readonly draining: Draining,
  ) {}

  /** @throws ApiError every refusal of relay.md; StoredProblem for one replayed under its key */
  async run(order: RelayOrder): Promise<{ reply: RelayReply; replayed: boolean }> {
    if (this.draining.isClosing) throw draining();
    const begun = await beforePublishing(() => this.keyedCalls.begin(order));
    if (begun.kind === 'replay') return { reply: begun.reply, replayed: true };
    try {
      return { reply: await this.runFirst(order, begun.keyed), replayed: false };
    } finally {
      begun.keyed?.ended();
    }
  }

  private async runFirst(order: RelayOrder, keyed: KeyedCall | null): Promise<RelayReply> {
    const start: Start = { at: this.clock.now(), mark: this.clock.monotonic() };
    const candidates = await beforePublishing(() => this.route(order, keyed));
    const ending = await this.relay(order, candidates, keyed, start);
    await this.conclude(order, keyed, ending, start);
    if (ending.answer instanceof ApiError) throw ending.answer;
    return ending.answer;
  }

  /** A call that names nothing, or a session that has ended, never was: its key is free again. */
  private async route(order: RelayOrder, keyed: KeyedCall | null): Promise<readonly Candidate[]> {
    try {
      return await order.route();
    } catch (error) {
      await keyed?.discard();
      throw error;
    }
  }

  private async relay(
    order: RelayOrder,
    candidates: readonly Candidate[],
    keyed: KeyedCall | null,
    start: Start,
  ): Promise<Ending> {
    const { context, caller, timeoutMs } = order;
    const cancel = () => this.bus.cancel(context.requestId, 'caller_gone');
    // Whoever gave a key may come back for the answer, so only a call without one ends with its caller.
    if (!keyed) context.callerGone.addEventListener('abort', cancel, { once: true });
    const call = this.bus.call({
      accountId: caller.accountId,
      candidates,
      capability: order.method,
      request: toRequest(order, this.bus.now()),
      answerWithinMs: timeoutMs + ORIGIN_GRACE_MS - this.passedSince(start),
      audit: { ...this.audit.orderOf(order), keyed: keyed !== null, startedAt: start.at },
      onLateAnswer: this.lateHandler(context.requestId, keyed),
    });
    if (!keyed && context.callerGone.aborted) cancel();
    const result = await call.catch((error: Error) => this.lost(context.requestId, error));
    context.callerGone.removeEventListener('abort', cancel);
    return toEnding(context.requestId, result);
  }

  private async conclude(order: RelayOrder, keyed: KeyedCall | null, ending: Ending, start: Start): Promise<void> {
    const row = this.audit.row(order, { ...ending, totalMs: this.passedSince(start) }, start.at);
    this.metrics.observe(row);
    if (keyed) await keyed.conclude(ending.answer, row);
    else this.audit.note(row);
  }

  /** Nobody knows how far it came. */
  private lost(requestId: string, error: Error): RelayResult {
    this.logger.error({ requestId, err: error }, 'a relayed call failed unexpectedly');
    return { kind: 'unknown', reason: 'device_disconnected', deviceId: null, routeMs: 0, deviceMs: 0 };
  }

  /** Kept for minutes: it holds the call's id and not its body. */
  private lateHandler(requestId: string, keyed: KeyedCall | null) {
    return (answer: DeviceAnswer) => {
      this.metrics.late.inc();
      keyed?.replace(answerOf(requestId, answer).answer).catch((error: Error) => {
        this.logger.error({ requestId, err: error }, 'a late answer was not kept');
      });
    };
  }

  private passedSince({ mark }: Start): number {
    return Math.round(this.clock.monotonic() - mark);
  }
}

/** @param now server time, which devices go by */
function toRequest(order: RelayOrder, now: number): RelayRequest {
  const { context, method, params, sessionId, machineId, timeoutMs } = order;
  return {
    requestId: context.requestId,
    method,
    deadline: now + timeoutMs + START_GRACE_MS,
    timeoutMs,
    ...(sessionId && { sessionId }),
    ...(machineId && { machineId }),
    ...(context.traceparent && { traceparent: context.traceparent }),
    params,
  } as RelayRequest;
}

function toEnding(requestId: string, result: RelayResult): Ending {
  switch (result.kind) {
    case 'answered': {
      const { deviceId, routeMs, deviceMs } = result;
      return { ...answerOf(requestId, result.answer), deviceId, routeMs, deviceMs };
    }
    case 'not_delivered': {
      const { deviceId, reason } = result;
      return { answer: notDelivered(reason), deviceId, resultBytes: null, routeMs: null, deviceMs: null };
    }
    case 'unknown': {
      const { deviceId, routeMs, deviceMs, reason } = result;
      const answer = reason === 'timeout' ? timedOut() : deviceDisconnected();
      return { answer, deviceId, resultBytes: null, routeMs, deviceMs };
    }
  }
}

function answerOf(
  requestId: string,
  answer: DeviceAnswer,
): { answer: RelayReply | ApiError; resultBytes: number | null } {
  if (answer.kind === 'error') return { answer: deviceError(answer.error), resultBytes: null };
  return { answer: { requestId, result: answer.result }, resultBytes: answer.bytes };
}

/** A database that is away before anything was sent is a refusal of which the outcome is known. */
async function beforePublishing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw notDelivered('relay_unavailable');
    throw error;
  }
}
