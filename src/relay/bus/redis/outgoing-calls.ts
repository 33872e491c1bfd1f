import { Logger } from '@nestjs/common';
import type { DeviceAnswer } from '../device-answer';
import type { Delivery } from '../device-connection';
import { toResult, type RelayCall, type RelayResult } from '../relay-bus';
import type { BusMetrics } from './bus-metrics';
import type { AnswerHead } from './envelope';
import { LateAnswers } from './late-answers';
import { OutgoingCall } from './outgoing-call';
import { OwnerWatch } from './owner-watch';
import { wasNotCarriedOut, type RedisLink } from './redis-link';
import type { SharedPresence } from './shared-presence';

/** Its device had left the instance that was asked; it may stand elsewhere. Nothing ran. */
export type SentResult = RelayResult | { kind: 'gone' };

/** Calls of this instance to devices that other instances hold. */
export class OutgoingCalls {
  private readonly logger = new Logger('RelayBus');
  private readonly open = new Map<string, OutgoingCall>();
  private readonly late = new LateAnswers();
  private readonly watch: OwnerWatch;

  constructor(
    private readonly link: RedisLink,
    private readonly presence: SharedPresence,
    private readonly metrics: BusMetrics,
  ) {
    this.watch = new OwnerWatch(link, this.open);
  }

  start(): void {
    this.watch.start();
  }

  stop(): void {
    this.watch.stop();
    this.late.clear();
    for (const call of this.open.values()) call.lose('device_disconnected');
  }

  async send(call: RelayCall, attempt: number): Promise<SentResult> {
    const { requestId } = call.request;
    const outgoing = new OutgoingCall(call.answerWithinMs, attempt);
    this.open.set(requestId, outgoing);
    try {
      await this.route(call, outgoing);
      this.passOnCancel(requestId, outgoing);
      const { delivery, deviceMs } = await outgoing.ended;
      if (delivery.kind === 'refused' && delivery.reason === 'gone') return { kind: 'gone' };
      if (delivery.kind === 'lost') this.late.expect(requestId, call.onLateAnswer);
      const routeMs = Math.max(0, Math.round(performance.now() - outgoing.sentAt) - deviceMs);
      return toResult(delivery, outgoing.deviceId, routeMs, deviceMs);
    } finally {
      this.open.delete(requestId);
    }
  }

  cancel(callId: string, reason: string): void {
    const call = this.open.get(callId);
    if (!call) return;
    call.cancelled = reason;
    this.passOnCancel(callId, call);
  }

  /** The first answer counts. What is said of an earlier offer of the call, said twice or late, is not of this one. */
  onAnswer(head: AnswerHead, body: string): void {
    const delivery = deliveryOf(head, body);
    const call = this.open.get(head.callId);
    if (call?.attempt === head.attempt) call.end(delivery, head.deviceMs);
    else if (delivery.kind !== 'answered' || !this.late.take(head.callId, delivery.answer)) {
      this.metrics.duplicates.inc();
    }
  }

  onRunning(callIds: string[]): void {
    const now = performance.now();
    for (const callId of callIds) {
      const call = this.open.get(callId);
      if (call) call.heardAt = now;
    }
  }

  /** Once it is known who has the call. */
  private passOnCancel(callId: string, { owner, cancelled: reason }: OutgoingCall): void {
    if (!owner || !reason) return;
    this.link.publish(owner, { type: 'cancel', callId, reason }).catch((error: Error) => {
      this.logger.debug({ requestId: callId, reason: error.message }, 'a cancel was not sent');
    });
  }

  private async route(call: RelayCall, outgoing: OutgoingCall): Promise<void> {
    try {
      const [outcome, pruned, deviceId, owner] = await this.presence.route(call, outgoing.attempt);
      this.metrics.pruned.inc(pruned);
      if (outcome === 'sent') Object.assign(outgoing, { deviceId, owner });
      else if (outcome === 'offline') outgoing.end({ kind: 'refused', reason: 'no_online_device' }, 0);
      else outgoing.end({ kind: 'refused', reason: 'relay_unavailable' }, 0);
    } catch (error) {
      const { requestId } = call.request;
      this.logger.warn({ requestId, reason: (error as Error).message }, 'Redis did not say that a call was sent');
      // Anything else may be on its way, and is waited for like every call.
      if (wasNotCarriedOut(error)) outgoing.end({ kind: 'refused', reason: 'relay_unavailable' }, 0);
    }
  }
}

function deliveryOf(head: AnswerHead, body: string): Delivery {
  switch (head.kind) {
    case 'answered':
      return { kind: 'answered', answer: JSON.parse(body) as DeviceAnswer };
    case 'refused':
      return { kind: 'refused', reason: head.reason };
    case 'lost':
      return { kind: 'lost', reason: head.reason };
  }
}
