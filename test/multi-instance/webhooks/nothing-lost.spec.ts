import { setTimeout as sleep } from 'node:timers/promises';
import { Changes } from '../../../src/events';
import { UnitOfWork } from '../../../src/persistence';
import { Dispatcher } from '../../../src/webhooks/engine/dispatcher';
import { KeptSession } from '../../support/device/kept-session';
import { eventually } from '../../support/eventually';
import { Service } from '../../support/service';
import { describeOwnPostgres, ThrowAwayPostgres } from '../../support/throw-away-postgres';
import { Receiver, verify } from '../../support/webhooks/receiver';
import { LOOPBACK, Subscriber, type Made } from '../../support/webhooks/webhook-scene';
import { Cluster } from '../support/cluster';

const MESSAGES = 8_000;
const BATCH = 40;
const WRITERS = 4;
const RECORDED = 3_000;
const KILL_EVERY_MS = 2_500;
/** Long enough for a kill to find requests under way. */
const ANSWER_MS = 20;
/** After a crash, delivery resumes within this (webhooks.md, Engine). */
const RESUMES_WITHIN_MS = 120_000;
/** What an instance may have under way when it is killed: per lane, and what was answered and not yet written. */
const REPEATED_PER_KILL = 100;

describeOwnPostgres('10,000 events, some rolled back, while instances are killed and PostgreSQL is restarted', () => {
  let postgres: ThrowAwayPostgres;
  let cluster: Cluster;
  let inProcess: Service;
  let ada: Subscriber;
  let receiver: Receiver;
  let hooks: Made[];
  const trouble = { kills: 0, restarts: 0 };

  beforeAll(async () => {
    postgres = await ThrowAwayPostgres.create();
    cluster = await Cluster.start({ postgresUrl: postgres.url, env: LOOPBACK });
    const env = { ...cluster.database.env, REDIS_URL: cluster.redis.url };
    inProcess = await Service.start(LOOPBACK, { env, dispose: () => Promise.resolve() });
    ada = await Subscriber.signUp(cluster.http);
    receiver = await Receiver.start((_, response) => {
      setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
    });
    hooks = [
      await ada.create(`${receiver.url}/messages`, ['message.created']),
      await ada.create(`${receiver.url}/recorded`, ['key_grant.created']),
    ];
    // Deliveries are for those that are killed.
    await inProcess.app.get(Dispatcher, { strict: false }).stop();
  }, 120_000);
  afterAll(async () => {
    await receiver?.stop();
    await inProcess?.stop();
    await cluster?.stop();
    await postgres?.remove();
  }, 120_000);

  /** Messages through the load balancer, each batch until it is known to be there. */
  const write = async (writer: number) => {
    const session = await KeptSession.open(ada.ada);
    for (let n = 0; n < MESSAGES / WRITERS / BATCH; n++) {
      const batch = Array.from({ length: BATCH }, (_, i) => session.message(`w${writer}-${n}-${i}`));
      for (;;) {
        const answer = await session.post(batch).catch(() => null);
        if (answer && answer.status < 300) break;
        await sleep(100);
      }
    }
  };

  /** Transactions of the service in this process: a row and its event, every fourth one taken back. */
  const record = async () => {
    const unitOfWork = inProcess.app.get(UnitOfWork, { strict: false });
    const changes = inProcess.app.get(Changes, { strict: false });
    const attempt = (n: number) =>
      unitOfWork.run(async () => {
        const id = `recorded-${n}`;
        changes.publish({ type: 'key_grant.created', accountId: ada.ada.accountId, data: { id } });
        await unitOfWork.query('INSERT INTO used_challenges VALUES ($1, now())', [Buffer.from(id)]);
        if (n % 4 === 0) throw new Error('changed my mind');
      });
    for (let n = 0; n < RECORDED; n++) {
      // Until the database is back; one whose commit nobody acknowledged is a duplicate then.
      for (;;) {
        const fault = await attempt(n).then(
          () => null,
          (error: Error) => error.message,
        );
        if (fault === null || /changed my mind|duplicate key/.test(fault)) break;
        await sleep(100);
      }
      if (n % 10 === 0) await sleep(20);
    }
  };

  const makeTrouble = async (stopped: () => boolean) => {
    for (let n = 0; !stopped(); n++) {
      await sleep(KILL_EVERY_MS);
      if (stopped()) return;
      const victim = cluster.instance(Math.floor(Math.random() * 3));
      await victim.kill();
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

  it('reach the receiver at least once each if they were committed, and never if they were not', async () => {
    let writing = true;
    const troubled = makeTrouble(() => !writing && trouble.restarts > 0);
    await Promise.all([record(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
    writing = false;
    await troubled;

    const recorded = await cluster.database.query<{ id: string }>(
      `SELECT encode(hash, 'escape') AS id FROM used_challenges WHERE hash LIKE 'recorded-%'`,
    );
    const messages = await cluster.database.query<{ id: string }>('SELECT id FROM messages');
    const committed = new Set([...recorded, ...messages].map(({ id }) => id));
    expect(messages).toHaveLength(MESSAGES);
    expect(committed.size).toBeGreaterThan(10_000);
    expect(recorded.length).toBeLessThan(RECORDED);

    const seen = () => new Set(receiver.received.map(({ payload }) => payload.data.id as string));
    await eventually(() => expect(seen().size).toBeGreaterThanOrEqual(committed.size), RESUMES_WITHIN_MS);
    await eventually(async () => {
      const [left] = await cluster.database.query<{ count: number }>(
        `SELECT (SELECT count(*) FROM webhook_outbox)::int
              + (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending')::int AS count`,
      );
      expect(left!.count).toBe(0);
    }, RESUMES_WITHIN_MS);
    expect([...seen()].filter((id) => !committed.has(id))).toEqual([]);
    expect([...committed].filter((id) => !seen().has(id))).toEqual([]);
  }, 420_000);

  it('are signed right each, under one id for one event, repeated only where somebody was killed', () => {
    const byId = new Map<string, string>();
    for (const received of receiver.received) {
      verify(hooks[received.payload.type === 'message.created' ? 0 : 1]!.secret, received);
      const id = received.headers['webhook-id']!;
      expect(byId.get(id) ?? received.body).toBe(received.body);
      byId.set(id, received.body);
    }
    const repeated = receiver.received.length - byId.size;
    process.stdout.write(
      `${byId.size} events, ${repeated} deliveries more, ${trouble.kills} kills, ${trouble.restarts} restart\n`,
    );
    expect(repeated).toBeLessThanOrEqual((trouble.kills + trouble.restarts * 4) * REPEATED_PER_KILL);
    // Ten for each of the two endpoints.
    expect(receiver.most).toBeLessThanOrEqual(20);
  });
});
