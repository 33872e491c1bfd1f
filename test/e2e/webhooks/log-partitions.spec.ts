import { Clock, DAY } from '../../../src/common/clock';
import { AttemptPartitionService } from '../../../src/modules/webhooks/deliveries/attempt-partition.service';
import { queryDatabase } from '../../support/database';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { WebhookFixture } from '../../support/webhooks/webhook-fixture';

const PARTITIONS = `SELECT inhrelid::regclass::text AS name FROM pg_inherits
  WHERE inhparent = 'webhook_attempts'::regclass ORDER BY 1`;

describe('the partitions of the delivery log', () => {
  let fixture: WebhookFixture;
  let webhookReceiver: WebhookReceiver;
  let startedAt: number;
  beforeAll(async () => {
    startedAt = Date.now();
    fixture = await WebhookFixture.start();
    webhookReceiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await webhookReceiver?.stop();
    await fixture?.stop();
  });

  const names = async () =>
    (await queryDatabase<{ name: string }>(fixture.service, PARTITIONS)).map(({ name }) => name);
  const nameOf = (ms: number) => `webhook_attempts_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const maintain = () => fixture.service.app.get(AttemptPartitionService, { strict: false }).maintainPartitions();
  const logged = async (count: number) =>
    waitFor(async () => {
      const [row] = await queryDatabase<{ count: number }>(
        fixture.service,
        'SELECT count(*)::int AS count FROM webhook_attempts',
      );
      expect(row!.count).toBe(count);
    });

  const weekFrom = (day: number) => Array.from({ length: 8 }, (_, n) => nameOf(day + n * DAY));

  it('are created a week ahead at start', async () => {
    // The service may have started before midnight, and this line runs after it.
    expect([weekFrom(startedAt), weekFrom(Date.now())]).toContainEqual(await names());
  });

  it('are created when an attempt needs them, and dropped after thirty days', async () => {
    // At noon of the next day, no day ends during the test.
    fixture.service.advanceClock(1.5 * DAY - (Date.now() % DAY));
    const today = fixture.service.app.get(Clock).now();
    await maintain();
    const week = await names();
    expect(week).toEqual(expect.arrayContaining(weekFrom(today)));

    const ada = fixture.subscriber;
    await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await logged(1);

    // A partition that was dropped is created again for the next attempt, which is logged.
    await queryDatabase(fixture.service, `DROP TABLE ${nameOf(today)}`);
    await ada.triggerEvent();
    await logged(1);
    expect(await names()).toEqual(week);

    // Partition maintenance has not run for two weeks.
    fixture.service.advanceClock(14 * DAY);
    await ada.triggerEvent();
    await logged(2);
    expect(await names()).toContain(nameOf(today + 14 * DAY));

    fixture.service.advanceClock(16 * DAY);
    await maintain();
    expect(await names()).toContain(nameOf(today));
    fixture.service.advanceClock(DAY);
    await maintain();
    const after = await names();
    expect(after).not.toContain(nameOf(today));
    expect(after).toContain(nameOf(today + 14 * DAY));
    expect(after).toContain(nameOf(today + 38 * DAY));
    await logged(1);
  });
});
