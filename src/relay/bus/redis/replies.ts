import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MINUTE } from '../../../common/clock';
import type { Delivery } from '../device-connection';
import type { AnswerHead } from './envelope';
import type { RedisLink } from './redis-link';

/** As long as an origin waits for a silent owner. */
const TRY_FOR_MS = 2_000;
/** The answer to a call with a key is of use also when its origin has given up: the caller may come back for it. */
const TRY_KEYED_FOR_MS = MINUTE;
const MAX_WAITING = 1_000;
const RETRY_MS = 50;

interface Addressee {
  callId: string;
  attempt: number;
  origin: string;
  audit: { keyed: boolean };
}

/** Answers on their way back to the origin. An answer may be sent twice: the first one counts. */
export class Replies {
  private readonly logger = new Logger('RelayBus');
  private waiting = 0;

  constructor(private readonly link: RedisLink) {}

  send({ callId, attempt, origin, audit }: Addressee, delivery: Delivery, deviceMs: number): void {
    const common = { type: 'answer' as const, callId, attempt, deviceMs };
    const isAnswered = delivery.kind === 'answered';
    const head: AnswerHead = isAnswered ? { ...common, kind: 'answered' } : { ...common, ...delivery };
    const body = isAnswered ? JSON.stringify(delivery.answer) : '';
    const isKept = isAnswered && audit.keyed && this.waiting < MAX_WAITING;
    this.sendUntilTaken(origin, isKept ? TRY_KEYED_FOR_MS : TRY_FOR_MS, head, body).catch((error: Error) => {
      this.logger.warn({ requestId: callId, reason: error.message }, 'an answer was not sent');
    });
  }

  /** An origin that nobody subscribes for may only have lost touch with Redis for a moment. */
  private async sendUntilTaken(origin: string, withinMs: number, head: AnswerHead, body: string): Promise<void> {
    const begunAt = performance.now();
    this.waiting += 1;
    try {
      for (;;) {
        const receivers = await this.link.publish(origin, head, body).catch((error: Error) => error);
        if (receivers !== 0 && !(receivers instanceof Error)) return;
        const passedMs = performance.now() - begunAt;
        if (passedMs > (receivers === 0 ? TRY_FOR_MS : withinMs)) {
          throw receivers === 0 ? new Error('its origin is gone') : receivers;
        }
        await sleep(RETRY_MS + passedMs / 10, undefined, { ref: false });
      }
    } finally {
      this.waiting -= 1;
    }
  }
}
