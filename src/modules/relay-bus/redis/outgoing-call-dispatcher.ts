import { Logger } from '@nestjs/common';
import type { DeviceAnswer } from '../device-answer';
import { LATE_ANSWER_WINDOW_MS } from '../device-connection';
import { bindDevice, type NotDeliveredReason, type RelayCall, type CallOutcome } from '../relay-call';
import type { BusMetrics } from './bus-metrics';
import type { OutcomeHead, EnvelopeStamp } from './envelope';
import { OutgoingCall } from './outgoing-call';
import { OwnerFailureDetector } from './owner-failure-detector';
import { isCommandNotExecuted, type RedisConnection } from './redis-connection';
import type { SharedPresenceStore } from './shared-presence-store';

const MAX_EXPECTED_ANSWERS = 10_000;

type DeviceAnswerHandler = (answer: DeviceAnswer) => void;

/** Sends calls to devices that are connected to other instances. */
export class OutgoingCallDispatcher {
  private readonly logger = new Logger('RelayBus');
  private readonly outgoingCalls = new Map<string, OutgoingCall>();
  private readonly lateAnswerRegistry = new LateAnswerRegistry();
  private readonly ownerFailureDetector: OwnerFailureDetector;

  constructor(
    private readonly redisConnection: RedisConnection,
    private readonly sharedPresenceStore: SharedPresenceStore,
    private readonly metrics: BusMetrics,
  ) {
    this.ownerFailureDetector = new OwnerFailureDetector(redisConnection, sharedPresenceStore, this.outgoingCalls);
  }

  start(): void {
    this.ownerFailureDetector.start();
  }

  stop(): void {
    this.ownerFailureDetector.stop();
    this.lateAnswerRegistry.clear();
    for (const call of this.outgoingCalls.values()) call.failCall('device_disconnected');
  }

  /**
   * Returns null if the device has left the instance that received the call and may be connected to another one.
   * Nothing ran then.
   */
  async sendCall(call: RelayCall, attempt: number): Promise<CallOutcome | null> {
    const { requestId } = call.request;
    const outgoingCall = new OutgoingCall(call.answerTimeoutMs, attempt);
    this.outgoingCalls.set(requestId, outgoingCall);
    try {
      await this.routeCall(call, outgoingCall);
      this.forwardCancel(requestId, outgoingCall);
      const completion = await outgoingCall.completion;
      const outcome = completion && addRoute(completion, outgoingCall);
      if (outcome?.kind === 'unknown')
        this.lateAnswerRegistry.expectAnswer(requestId, bindDevice(call.onLateAnswer, outcome.deviceId));
      return outcome;
    } finally {
      this.outgoingCalls.delete(requestId);
    }
  }

  cancelCall(callId: string, reason: string): void {
    const call = this.outgoingCalls.get(callId);
    if (!call) return;
    call.cancelReason = reason;
    this.forwardCancel(callId, call);
  }

  /**
   * Accepts the first answer to the current attempt. Answers to earlier attempts, repeated and late ones don't end the
   * call.
   */
  handleAnswer(head: OutcomeHead & EnvelopeStamp, body: string): void {
    const outcome = toOwnerOutcome(head, body);
    const call = this.outgoingCalls.get(head.callId);
    if (call?.attempt === head.attempt && !call.isCompleted) {
      if (head.kind === 'refused' && head.from !== undefined) call.recordRefusal(head.from, outcome);
      else call.completeCall(outcome);
    } else if (outcome?.kind !== 'answered' || !this.lateAnswerRegistry.dispatchAnswer(head.callId, outcome.answer)) {
      this.metrics.duplicateAnswers.inc();
    }
  }

  handleHeartbeat(callIds: string[]): void {
    const now = performance.now();
    for (const callId of callIds) {
      const call = this.outgoingCalls.get(callId);
      if (call) call.ownerHeardAt = now;
    }
  }

  /** Forwards a cancellation to the owner. Does nothing until the owner is known. */
  private forwardCancel(callId: string, { owner, cancelReason: reason }: OutgoingCall): void {
    if (!owner || !reason) return;
    this.redisConnection.publishEnvelope(owner, { type: 'cancel', callId, reason }).catch((error: Error) => {
      this.logger.debug({ requestId: callId, reason: error.message }, 'call cancellation failed');
    });
  }

  private async routeCall(call: RelayCall, outgoingCall: OutgoingCall): Promise<void> {
    try {
      const reply = await this.sharedPresenceStore.routeCall(call, outgoingCall.attempt);
      this.metrics.prunedEntries.inc(reply[1]);
      if (reply[0] === 'sent') outgoingCall.assignOwner(reply[3], reply[2]);
      else if (reply[0] === 'offline') outgoingCall.completeCall(createRefusal('no_online_device'));
      else outgoingCall.completeCall(createRefusal('relay_unavailable'));
    } catch (error) {
      const { requestId } = call.request;
      this.logger.warn({ requestId, reason: (error as Error).message }, 'call publication unconfirmed');
      // After any other error the call may have been published, so the dispatcher waits for its answer.
      if (isCommandNotExecuted(error)) outgoingCall.completeCall(createRefusal('relay_unavailable'));
    }
  }
}

/**
 * Handlers of answers that arrive after their call timed out: for five minutes, at most 10,000 calls, oldest dropped
 * first.
 */
class LateAnswerRegistry {
  private readonly handlersByCallId = new Map<
    string,
    { lateAnswerHandler: DeviceAnswerHandler; timer: NodeJS.Timeout }
  >();

  expectAnswer(callId: string, lateAnswerHandler: DeviceAnswerHandler): void {
    const [oldest] = this.handlersByCallId.keys();
    if (oldest !== undefined && this.handlersByCallId.size >= MAX_EXPECTED_ANSWERS) this.removeHandler(oldest);
    const timer = setTimeout(() => this.removeHandler(callId), LATE_ANSWER_WINDOW_MS).unref();
    this.handlersByCallId.set(callId, { lateAnswerHandler, timer });
  }

  /** Returns false if no handler is registered for the call, or its window has passed. */
  dispatchAnswer(callId: string, answer: DeviceAnswer): boolean {
    const entry = this.handlersByCallId.get(callId);
    if (!entry) return false;
    this.removeHandler(callId);
    entry.lateAnswerHandler(answer);
    return true;
  }

  clear(): void {
    for (const callId of [...this.handlersByCallId.keys()]) this.removeHandler(callId);
  }

  private removeHandler(callId: string): void {
    clearTimeout(this.handlersByCallId.get(callId)?.timer);
    this.handlersByCallId.delete(callId);
  }
}

function createRefusal(reason: NotDeliveredReason): CallOutcome {
  return { kind: 'not_delivered', reason, deviceId: null };
}

/** Adds the device that the call was routed to and the time that passed outside of the owner. */
function addRoute(outcome: CallOutcome, { deviceId, sentAt }: OutgoingCall): CallOutcome {
  if (outcome.kind === 'not_delivered') return { ...outcome, deviceId };
  return { ...outcome, deviceId, routeMs: Math.max(0, Math.round(performance.now() - sentAt) - outcome.deviceMs) };
}

/** Returns the outcome as its owner sees it: the origin adds the device and the duration of the route. */
function toOwnerOutcome(head: OutcomeHead, body: string): CallOutcome | null {
  if (head.kind === 'refused') {
    return head.reason === 'gone' ? null : { kind: 'not_delivered', reason: head.reason, deviceId: null };
  }
  const measured = { deviceId: null, routeMs: 0, deviceMs: head.deviceMs };
  if (head.kind === 'answered') return { kind: 'answered', answer: JSON.parse(body) as DeviceAnswer, ...measured };
  // Also for a kind of a later release: whether such a call ran is not known.
  return { kind: 'unknown', reason: head.reason, ...measured };
}
