import { randomBytes } from 'node:crypto';
import { expectStatus } from '../../test/support/device/foreign-device';
import { BenchProcess } from './bench-process';
import type { BenchFixture } from './bench-fixture';

/** Settings that allow deliveries to loopback. */
export const LOOPBACK_DELIVERY_ENV = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

/** Payload of a small event. */
export const EVENT_PAYLOAD = JSON.stringify({
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
export class EndpointProcess {
  private constructor(
    private readonly benchProcess: BenchProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<EndpointProcess> {
    const benchProcess = BenchProcess.start('bench/support/receiver-process.ts');
    return new EndpointProcess(benchProcess, `http://127.0.0.1:${await benchProcess.waitForMember<number>('port')}/`);
  }

  /** Runs `cause`, waits for `count` deliveries and returns the ms from event to arrival of each. */
  async measureDeliveries(count: number, cause: () => Promise<unknown>): Promise<number[]> {
    await this.benchProcess.sendRequest({ await: count }, 'ready');
    const received = this.benchProcess.waitForMember<number[]>('come');
    await cause();
    return received;
  }

  /** Returns the ms from event to arrival of the deliveries since the last call. */
  takeDelays(): Promise<number[]> {
    return this.benchProcess.sendRequest({ take: true }, 'taken');
  }

  stop(): Promise<void> {
    return this.benchProcess.stop();
  }
}

export async function createBenchWebhook(
  benchFixture: BenchFixture,
  url: string,
  events = ['session.created'],
): Promise<string> {
  const { token } = await benchFixture.ada.createToken(['webhooks:manage', 'sessions:read']);
  return createWebhookWithToken(benchFixture, token, url, events);
}

/** @param token access token of the subscriber */
export async function createWebhookWithToken(
  benchFixture: BenchFixture,
  token: string,
  url: string,
  events: string[],
): Promise<string> {
  const body = { url, events };
  const created = expectStatus(
    await benchFixture.firstInstance.http.post('/external/v1/webhooks', token, body),
    201,
  ) as {
    data: { id: string };
  };
  return created.data.id;
}

/** Inserts pending deliveries into a paused endpoint queue, as the fan-out would write them. */
export async function insertPendingDeliveries(
  benchFixture: BenchFixture,
  webhookId: string,
  count: number,
): Promise<void> {
  await benchFixture.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, next_attempt_at, created_at)
     SELECT 'dlv_' || $4 || lpad(to_hex(i), 10, '0'), $1, 'evt_' || $4 || lpad(to_hex(i), 10, '0'), 'session.created',
            $2, now(), now()
       FROM generate_series(1, $3::integer) i`,
    [webhookId, EVENT_PAYLOAD, count, randomBytes(8).toString('hex')],
  );
}

/** Pauses or resumes a webhook. */
export async function changeWebhookState(
  benchFixture: BenchFixture,
  webhookId: string,
  action: 'pause' | 'resume',
): Promise<void> {
  expectStatus(
    await benchFixture.firstInstance.http.post(`/v1/webhooks/${webhookId}/${action}`, benchFixture.ada.token, {}),
    200,
  );
}
