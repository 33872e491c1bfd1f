import { Logger } from '@nestjs/common';
import type { Subject } from 'rxjs';
import type { RelayRequest } from '../../../wire';
import type { Delivery, DeviceConnection, Refusal } from '../device-connection';
import type { LocalPresence } from '../local-presence';
import type { OrphanedCall } from '../relay-bus';
import type { BusMetrics } from './bus-metrics';
import { ENVELOPE_VERSION } from './envelope';
import type { IncomingCall, RequestEnvelope } from './incoming-call';
import { OriginWatch } from './origin-watch';
import type { RedisClock } from './redis-clock';
import type { RedisLink } from './redis-link';
import { Replies } from './replies';
import type { SharedPresence } from './shared-presence';

/** Calls of other instances to devices that this one holds. */
export class IncomingCalls {
  private readonly logger = new Logger('RelayBus');
  private readonly open = new Map<string, IncomingCall>();
  private readonly replies: Replies;
  private readonly watch: OriginWatch;

  constructor(
    link: RedisLink,
    private readonly clock: RedisClock,
    private readonly devices: LocalPresence,
    private readonly presence: SharedPresence,
    private readonly metrics: BusMetrics,
    orphaned: Subject<OrphanedCall>,
  ) {
    this.replies = new Replies(link);
    this.watch = new OriginWatch(link, this.open, orphaned);
  }

  get size(): number {
    return this.open.size;
  }

  start(): void {
    this.watch.start();
  }

  stop(): void {
    this.watch.stop();
  }

  onRequest(head: RequestEnvelope, body: string): void {
    if (head.version !== ENVELOPE_VERSION) return this.refuse(head, 'relay_unavailable');
    if (this.open.has(head.callId)) return this.metrics.duplicates.inc();
    // Its origin has given it up, or this instance cannot tell: it must not begin now.
    if (!this.clock.isBefore(head.acceptBy)) {
      this.metrics.expired.inc();
      return this.refuse(head, 'relay_unavailable');
    }
    const connection = this.devices.find(head.accountId, head.deviceId);
    if (connection?.isCurrent && connection.epoch >= head.epoch) {
      this.run(head, JSON.parse(body) as RelayRequest, connection).catch((error: Error) => {
        this.open.delete(head.callId);
        this.logger.error({ requestId: head.callId, err: error }, 'a call could not be given to its device');
      });
    } else this.refuseStranger(head);
  }

  cancel(callId: string, reason: string): void {
    this.open.get(callId)?.connection.cancel(callId, reason);
  }

  private async run(head: RequestEnvelope, request: RelayRequest, connection: DeviceConnection): Promise<void> {
    const startedAt = performance.now();
    const answer = (delivery: Delivery) => this.replies.send(head, delivery, Math.round(performance.now() - startedAt));
    this.open.set(head.callId, { head, request, connection, startedAt, orphaned: false });
    const delivery = await connection.deliver(request, head.answerBy - this.clock.now(), (late) =>
      answer({ kind: 'answered', answer: late }),
    );
    this.open.delete(head.callId);
    answer(delivery);
  }

  /** The entry that led here is stale, unless it was renewed meanwhile. */
  private refuseStranger(head: RequestEnvelope): void {
    this.presence.withdraw(head.accountId, head.deviceId, head.epoch).then(
      () => this.refuse(head, 'gone'),
      (error: Error) => {
        this.logger.warn({ reason: error.message }, 'a stale entry was not removed');
        this.refuse(head, 'relay_unavailable');
      },
    );
  }

  private refuse(head: RequestEnvelope, reason: Refusal): void {
    this.replies.send(head, { kind: 'refused', reason }, 0);
  }
}
