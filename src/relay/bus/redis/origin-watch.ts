import { Logger } from '@nestjs/common';
import type { Subject } from 'rxjs';
import type { OrphanedCall } from '../relay-bus';
import type { IncomingCall } from './incoming-call';
import type { RedisLink } from './redis-link';

const TICK_MS = 500;
/** Ticks: three seconds, longer than any reconnect of one that lives. */
const GONE_AFTER = 6;
/** A call that is younger is not told of: most are answered by then. */
const TELL_AFTER_MS = 450;

/** Tells origins, twice a second, that their calls run; and learns from the same message whether they live. */
export class OriginWatch {
  private readonly logger = new Logger('RelayBus');
  private timer: NodeJS.Timeout | undefined;
  /** How often in a row nobody listened for an origin; one whose subscription is being renewed looks the same. */
  private silences = new Map<string, number>();

  constructor(
    private readonly link: RedisLink,
    private readonly open: Map<string, IncomingCall>,
    private readonly orphaned: Subject<OrphanedCall>,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async tick(): Promise<void> {
    const silences = new Map<string, number>();
    await Promise.all(
      [...this.byOrigin()].map(async ([origin, callIds]) => {
        const heard = await this.tell(origin, callIds);
        if (heard) return;
        const times = (this.silences.get(origin) ?? 0) + 1;
        silences.set(origin, times);
        if (times >= GONE_AFTER) this.orphan(origin);
      }),
    );
    this.silences = silences;
  }

  private byOrigin(): Map<string, string[]> {
    const origins = new Map<string, string[]>();
    const since = performance.now() - TELL_AFTER_MS;
    for (const [callId, { head, startedAt }] of this.open) {
      if (startedAt > since) continue;
      const callIds = origins.get(head.origin);
      if (callIds) callIds.push(callId);
      else origins.set(head.origin, [callId]);
    }
    return origins;
  }

  /** Where Redis is away nothing is known of the origin. */
  private async tell(origin: string, callIds: string[]): Promise<boolean> {
    try {
      return (await this.link.publish(origin, { type: 'running', callIds })) > 0;
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'origins were not told');
      return true;
    }
  }

  /** Nobody will hear the answer. A call with a key runs on all the same: its caller may come back for it. */
  private orphan(origin: string): void {
    for (const call of this.open.values()) {
      const { head, request, connection } = call;
      if (head.origin !== origin || head.audit.keyed || call.orphaned) continue;
      call.orphaned = true;
      connection.cancel(head.callId, 'origin_gone');
      const { callId: requestId, accountId, deviceId, audit } = head;
      this.orphaned.next({ requestId, accountId, deviceId, request, audit });
    }
  }
}
