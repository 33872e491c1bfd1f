import { randomBytes } from 'node:crypto';
import { ok } from '../../test/support/device/foreign-device';
import { Child } from './child';
import type { Scene } from './scene';

/** What a service needs to deliver to loopback. */
export const LOOPBACK = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

/** As thin as an event is. */
export const PAYLOAD = JSON.stringify({
  type: 'session.created',
  timestamp: 1_788_255_000_000,
  data: {
    id: 'ses_01m7xsah51f6ctt8c84t8wbh7e',
    object: 'session',
    state: 'active',
    tag: 'refactor-billing',
    machineId: null,
    messageCount: 0,
    lastSeq: 0,
    contentGranted: false,
    createdAt: 1_788_255_000_000,
    updatedAt: 1_788_255_000_000,
    lastActiveAt: 1_788_255_000_000,
    endedAt: null,
  },
});

/** A receiver in its own process. */
export class Endpoint {
  private constructor(
    private readonly child: Child,
    readonly url: string,
  ) {}

  static async start(): Promise<Endpoint> {
    const child = Child.start('bench/support/receiver-process.ts');
    return new Endpoint(child, `http://127.0.0.1:${await child.next<number>('port')}/`);
  }

  /** Does what makes `count` deliveries come, and waits for them; ms from event to coming, of each. */
  async receive(count: number, cause: () => Promise<unknown>): Promise<number[]> {
    await this.child.ask({ await: count }, 'ready');
    const come = this.child.next<number[]>('come');
    await cause();
    return come;
  }

  /** Of those that came since it was asked last, ms from event to coming. */
  take(): Promise<number[]> {
    return this.child.ask({ take: true }, 'taken');
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}

export async function createWebhook(scene: Scene, url: string, events = ['session.created']): Promise<string> {
  const { token } = await scene.ada.createToken(['webhooks:manage', 'sessions:read']);
  return createWebhookFor(scene, token, url, events);
}

/** @param token of whoever subscribes */
export async function createWebhookFor(scene: Scene, token: string, url: string, events: string[]): Promise<string> {
  const body = { url, events };
  const made = ok(await scene.first.http.post('/external/v1/webhooks', token, body), 201) as {
    data: { id: string };
  };
  return made.data.id;
}

/** Deliveries that wait in a paused lane, as the fan-out would have written them. */
export async function insertDeliveries(scene: Scene, webhookId: string, count: number): Promise<void> {
  await scene.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, next_attempt_at, created_at)
     SELECT 'dlv_' || $4 || lpad(to_hex(i), 10, '0'), $1, 'evt_' || $4 || lpad(to_hex(i), 10, '0'), 'session.created', $2,
            now(), now() FROM generate_series(1, $3::integer) i`,
    [webhookId, PAYLOAD, count, randomBytes(8).toString('hex')],
  );
}

/** `pause` or `resume` */
export async function turn(scene: Scene, webhookId: string, how: 'pause' | 'resume'): Promise<void> {
  ok(await scene.first.http.post(`/v1/webhooks/${webhookId}/${how}`, scene.ada.token, {}), 200);
}
