import { DAY } from '../../../src/common/clock';
import { AttemptPartitions } from '../../../src/webhooks/deliveries/attempt-partitions';
import { query } from '../../support/database';
import { eventually } from '../../support/eventually';
import { Receiver } from '../../support/webhooks/receiver';
import { WebhookScene } from '../../support/webhooks/webhook-scene';

const PARTITIONS = `SELECT inhrelid::regclass::text AS name FROM pg_inherits
  WHERE inhparent = 'webhook_attempts'::regclass ORDER BY 1`;

describe('the partitions of the delivery log', () => {
  let scene: WebhookScene;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await WebhookScene.start();
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await receiver?.stop();
    await scene?.stop();
  });

  const names = async () => (await query<{ name: string }>(scene.service, PARTITIONS)).map(({ name }) => name);
  const nameOf = (ms: number) => `webhook_attempts_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const maintain = () => scene.service.app.get(AttemptPartitions, { strict: false }).maintain();
  const logged = async (count: number) =>
    eventually(async () => {
      const [row] = await query<{ count: number }>(
        scene.service,
        'SELECT count(*)::int AS count FROM webhook_attempts',
      );
      expect(row!.count).toBe(count);
    });

  it('are days, a week ahead, made anew on the spot, and dropped after thirty', async () => {
    const today = Date.now();
    const week = Array.from({ length: 8 }, (_, day) => nameOf(today + day * DAY));
    expect(await names()).toEqual(week);

    const ada = scene.subscriber;
    await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await logged(1);

    // Somebody dropped it: it is made again by whoever needs it, and the try is logged.
    await query(scene.service, `DROP TABLE ${nameOf(today)}`);
    await ada.happen();
    await logged(1);
    expect(await names()).toEqual(week);

    // No sweep came for two weeks.
    scene.service.advance(14 * DAY);
    await ada.happen();
    await logged(2);
    expect(await names()).toContain(nameOf(today + 14 * DAY));

    scene.service.advance(16 * DAY);
    await maintain();
    expect(await names()).toContain(nameOf(today));
    scene.service.advance(DAY);
    await maintain();
    const after = await names();
    expect(after).not.toContain(nameOf(today));
    expect(after).toContain(nameOf(today + 14 * DAY));
    expect(after).toContain(nameOf(today + 38 * DAY));
    await logged(1);
  });
});
