import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Delivery } from '../device-connection';
import type { AnswerHead } from './envelope';
import type { RedisLink } from './redis-link';

/** As long as an origin waits for a silent owner. */
const TRY_FOR_MS = 2_000;
const RETRY_MS = 50;

/** Answers on their way back to the origin. An answer may be sent twice: the first one counts. */
export class Replies {
  private readonly logger = new Logger('RelayBus');

  constructor(private readonly link: RedisLink) {}

  send(call: { callId: string; origin: string }, delivery: Delivery, deviceMs: number): void {
    const { callId, origin } = call;
    const [head, body] = encodeDelivery(callId, delivery, deviceMs);
    this.persist(origin, head, body).catch((error: Error) => {
      this.logger.warn({ requestId: callId, reason: error.message }, 'an answer was not sent');
    });
  }

  private async persist(origin: string, head: AnswerHead, body: string): Promise<void> {
    const giveUpAt = performance.now() + TRY_FOR_MS;
    for (;;) {
      try {
        await this.link.publish(origin, head, body);
        return;
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        await sleep(RETRY_MS);
      }
    }
  }
}

function encodeDelivery(callId: string, delivery: Delivery, deviceMs: number): [AnswerHead, string] {
  const head = { type: 'answer' as const, callId, deviceMs };
  if (delivery.kind !== 'answered') return [{ ...head, ...delivery }, ''];
  return [{ ...head, kind: 'answered' }, JSON.stringify(delivery.answer)];
}
