import { setTimeout as sleep } from 'node:timers/promises';
import { EventPublisher } from '../../../src/core/events';
import { UnitOfWork } from '../../../src/core/database';
import { EndpointWorkerScheduler } from '../../../src/modules/webhooks/dispatch/endpoint-worker-scheduler';
import { describeWith } from '../../support/dependencies';
import { DeviceSession } from '../../support/device/device-session';
import { scaled } from '../../support/scale';
import { waitFor } from '../../support/wait-for';
import { Service } from '../../support/service';
import { TemporaryPostgres } from '../../support/temporary-postgres';
import { WebhookReceiver, verifySignature } from '../../support/webhooks/webhook-receiver';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber, type CreatedWebhook } from '../../support/webhooks/webhook-fixture';
import { Cluster } from '../support/cluster';

const MESSAGES = scaled(8_000, 1_600);
const BATCH = 40;
const WRITERS = 4;
const RECORDED = scaled(3_000, 600);
/** Pauses after a batch of messages and after ten transactions, which spread fewer events over the kills. */
const BATCH_PAUSE_MS = scaled(0, 1_000);
const RECORD_PAUSE_MS = scaled(20, 160);
const KILL_EVERY_MS = 2_500;
/** Response time of the receiver, long enough that a kill interrupts requests. */
const ANSWER_MS = 20;
/** With a short timeout, the endpoint queue of a killed instance is soon leased by another one. */
const ENV = { ...LOOPBACK_WEBHOOKS_ENV, WEBHOOK_TIMEOUT_SECONDS: '5' };
/** Delivery resumes within this time after a crash (docs/protocol/webhooks.md#dispatch). */
const RESUMES_WITHIN_MS = 120_000;
/** Attempts that a killed instance may leave to repeat: in flight, and answered without a written result. */
const REPEATED_PER_KILL = 100;

describeWith('pg_ctl')(
  'thousands of events, some rolled back, while instances are killed and PostgreSQL is restarted',
  () => {
    let postgres: TemporaryPostgres;
    let cluster: Cluster;
    let inProcess: Service;
    let ada: Subscriber;
    let webhookReceiver: WebhookReceiver;
    let hooks: CreatedWebhook[];
    const trouble = { kills: 0, restarts: 0 };

    beforeAll(async () => {
      postgres = await TemporaryPostgres.createCluster();
      cluster = await Cluster.start({ postgresUrl: postgres.url, env: ENV });
      const env = { ...cluster.testDatabase.env, REDIS_URL: cluster.redis.url };
      inProcess = await Service.start(ENV, { env, dispose: () => Promise.resolve() });
      ada = await Subscriber.signUp(cluster.http);
      webhookReceiver = await WebhookReceiver.start((_, response) => {
        setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
      });
      hooks = [
        await ada.createWebhook(`${webhookReceiver.url}/messages`, ['message.created']),
        await ada.createWebhook(`${webhookReceiver.url}/recorded`, ['key_grant.created']),
      ];
      // Only the instances that are killed send deliveries.
      await inProcess.app.get(EndpointWorkerScheduler, { strict: false }).stop();
    }, 120_000);
    afterAll(async () => {
      await webhookReceiver?.stop();
      await inProcess?.stop();
      await cluster?.stop();
      await postgres?.removeCluster();
    }, 120_000);

    /** Posts messages through the load balancer, and repeats each batch until it succeeds. */
    const write = async (writer: number) => {
      const session = await DeviceSession.createSession(ada.device);
      for (let n = 0; n < MESSAGES / WRITERS / BATCH; n++) {
        const batch = Array.from({ length: BATCH }, (_, i) => session.encryptMessage(`w${writer}-${n}-${i}`));
        for (;;) {
          const answer = await session.postMessages(batch).catch(() => null);
          if (answer && answer.status < 300) break;
          await sleep(100);
        }
        await sleep(BATCH_PAUSE_MS);
      }
    };

    /** Runs transactions in this process. Each writes a row and an event, and every fourth is rolled back. */
    const record = async () => {
      const unitOfWork = inProcess.app.get(UnitOfWork, { strict: false });
      const eventPublisher = inProcess.app.get(EventPublisher, { strict: false });
      const attempt = (n: number) =>
        unitOfWork.runInTransaction(async () => {
          const id = `recorded-${n}`;
          eventPublisher.publishEvent({
            type: 'key_grant.created',
            accountId: ada.device.accountId,
            data: { id },
          });
          await unitOfWork.queryRows('INSERT INTO used_challenges VALUES ($1, now())', [Buffer.from(id)]);
          if (n % 4 === 0) throw new Error('rolled back on purpose');
        });
      for (let n = 0; n < RECORDED; n++) {
        // Retries until the database is back. A commit without acknowledgement then fails as a duplicate.
        for (;;) {
          const message = await attempt(n).then(
            () => null,
            (error: Error) => error.message,
          );
          if (message === null || /rolled back on purpose|duplicate key/.test(message)) break;
          await sleep(100);
        }
        if (n % 10 === 0) await sleep(RECORD_PAUSE_MS);
      }
    };

    const makeTrouble = async (stopped: () => boolean) => {
      for (let n = 0; !stopped(); n++) {
        await sleep(KILL_EVERY_MS);
        if (stopped()) return;
        const victim = cluster.getInstance(Math.floor(Math.random() * 3));
        await victim.killProcess();
        trouble.kills++;
        if (n === 2) {
          await postgres.stop('immediate');
          await sleep(1_000);
          await postgres.start();
          trouble.restarts++;
        }
        await victim.start();
      }
    };

    it('reach the receiver at least once if committed, and never otherwise', async () => {
      let writing = true;
      const troubled = makeTrouble(() => !writing && trouble.restarts > 0);
      await Promise.all([record(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
      writing = false;
      await troubled;

      const recorded = await cluster.testDatabase.query<{ id: string }>(
        `SELECT encode(hash, 'escape') AS id FROM used_challenges WHERE hash LIKE 'recorded-%'`,
      );
      const messages = await cluster.testDatabase.query<{ id: string }>('SELECT id FROM messages');
      const committed = new Set([...recorded, ...messages].map(({ id }) => id));
      expect(messages).toHaveLength(MESSAGES);
      expect(committed.size).toBeGreaterThan(MESSAGES + 0.7 * RECORDED);
      expect(recorded.length).toBeLessThan(RECORDED);

      const seen = () => new Set(webhookReceiver.received.map(({ payload }) => payload.data.id as string));
      await waitFor(() => expect(seen().size).toBeGreaterThanOrEqual(committed.size), RESUMES_WITHIN_MS);
      await waitFor(async () => {
        const [left] = await cluster.testDatabase.query<{ count: number }>(
          `SELECT (SELECT count(*) FROM webhook_outbox)::int + (SELECT count(*) FROM webhook_outbox_batches)::int
              + (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending')::int AS count`,
        );
        expect(left!.count).toBe(0);
      }, RESUMES_WITHIN_MS);
      expect([...seen()].filter((id) => !committed.has(id))).toEqual([]);
      expect([...committed].filter((id) => !seen().has(id))).toEqual([]);
    }, 420_000);

    it('have a valid signature and one id per event, and repeat only after kills', () => {
      const byId = new Map<string, string>();
      for (const received of webhookReceiver.received) {
        verifySignature(hooks[received.payload.type === 'message.created' ? 0 : 1]!.secret, received);
        const id = received.headers['webhook-id']!;
        expect(byId.get(id) ?? received.body).toBe(received.body);
        byId.set(id, received.body);
      }
      const repeated = webhookReceiver.received.length - byId.size;
      process.stdout.write(
        `${byId.size} events, ${repeated} deliveries more, ${trouble.kills} kills, ${trouble.restarts} restart\n`,
      );
      expect(repeated).toBeLessThanOrEqual((trouble.kills + trouble.restarts * 4) * REPEATED_PER_KILL);
      // Ten per endpoint.
      expect(webhookReceiver.maxOpenRequests).toBeLessThanOrEqual(20);
    });
  },
);
