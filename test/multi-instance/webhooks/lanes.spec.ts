import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { Receiver, type Answer } from '../../support/webhooks/receiver';
import { insertDeliveries } from '../../support/webhooks/rows';
import { LOOPBACK, Subscriber } from '../../support/webhooks/webhook-scene';
import { Cluster } from '../support/cluster';

const DEAD = 5;
const STUCK = 100_000;
const silence: Answer = () => undefined;

describe('lanes over three instances', () => {
  let cluster: Cluster;
  const receivers: Receiver[] = [];
  const receiver = async (answer?: Answer) => {
    const started = await Receiver.start(answer);
    receivers.push(started);
    return started;
  };
  beforeAll(async () => {
    cluster = await Cluster.start({ env: LOOPBACK });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(receivers.map((each) => each.stop()));
    await cluster?.stop();
  }, 120_000);

  it('send at most ten at once to one endpoint, and ten where there is enough', async () => {
    const ada = await Subscriber.signUp(cluster.http);
    const busy = await receiver((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 15);
    });
    const { id } = await ada.create(busy.url, ['session.created']);
    await insertDeliveries(cluster.database, id, 2_000);
    // Events of all three instances make them look at the lane.
    let done = false;
    const nudging = (async () => {
      for (let n = 0; !done; n++) {
        await ada.ada.openSession(ada.ada);
        await sleep(20);
      }
    })();
    await busy.got(2_000, 60_000);
    done = true;
    await nudging;
    expect(busy.most).toBe(10);
    const ids = busy.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
  }, 120_000);

  it('of dead endpoints with 100,000 deliveries keep nobody waiting', async () => {
    const bob = await Subscriber.signUp(cluster.http);
    const dead: Receiver[] = [];
    for (let n = 0; n < DEAD; n++) {
      const silent = await receiver(silence);
      dead.push(silent);
      const { id } = await bob.create(silent.url, ['session.ended']);
      await insertDeliveries(cluster.database, id, STUCK / DEAD);
    }
    await eventually(() => expect(dead.every(({ most }) => most === 10)).toBe(true), 15_000);

    const ada = await Subscriber.signUp(cluster.http);
    const healthy = await receiver();
    await ada.create(healthy.url, ['session.created']);
    for (let n = 0; n < 30; n++) await ada.happen();
    // Long before the first of the dead is given up, which takes twenty seconds.
    await healthy.got(30, 10_000);
    expect(Math.max(...dead.map(({ most }) => most))).toBe(10);
    // What was delivered is written a moment later.
    await eventually(async () => {
      const [stuck] = await cluster.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM webhook_deliveries WHERE state = 'pending'`,
      );
      expect(stuck!.count).toBe(STUCK);
    });
  }, 120_000);

  it('pass to another instance when theirs is killed, within two minutes', async () => {
    const ada = await Subscriber.signUp(cluster.http);
    const slow = await receiver((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 1_000);
    });
    const { id } = await ada.create(slow.url, ['session.created']);
    await insertDeliveries(cluster.database, id, 100);
    await slow.got(5);
    const [lane] = await cluster.database.query<{ owner: string }>(
      'SELECT owner FROM webhook_lanes WHERE webhook_id = $1',
      [id],
    );
    expect(lane!.owner).not.toBeNull();
    // Whoever holds it: two of three are killed, and if it was the third it goes on by itself.
    await cluster.instance(0).kill();
    await cluster.instance(1).kill();
    await eventually(async () => {
      const [left] = await cluster.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM webhook_deliveries WHERE webhook_id = $1 AND state <> 'delivered'`,
        [id],
      );
      expect(left!.count).toBe(0);
    }, 120_000);
    expect(new Set(slow.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100);
  }, 180_000);

  it('are left within the drain time on SIGTERM, nothing repeated', async () => {
    await cluster.instance(0).start();
    await cluster.instance(1).start();
    const ada = await Subscriber.signUp(cluster.http);
    const slow = await receiver((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 500);
    });
    const { id } = await ada.create(slow.url, ['session.created']);
    await insertDeliveries(cluster.database, id, 120);
    await slow.got(5);
    const endings = await Promise.all([cluster.instance(0).drain(), cluster.instance(1).drain()]);
    expect(endings.map(({ code }) => code)).toEqual([0, 0]);
    await slow.got(120, 60_000);
    await sleep(500);
    expect(slow.received).toHaveLength(120);
  }, 180_000);
});
