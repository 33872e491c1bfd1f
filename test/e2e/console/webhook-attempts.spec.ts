import { HOUR, MINUTE } from '../../../src/common/clock';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { waitFor } from '../../support/wait-for';
import { acceptRequest, respondWithStatus, WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const RANGES = ['hour', 'day', 'week'];

describe('the attempts on the page of a webhook', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let visitor: ConsoleClient;
  let receiver: WebhookReceiver;
  let id: string;
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0,3600' });
    receiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    receiver.handler = acceptRequest;
    ada = await Subscriber.signUp(fixture.service.http);
    visitor = await ConsoleClient.signIn(fixture.service.url, ada.device);
    ({ id } = await ada.createWebhook(receiver.url, ['session.created']));
  });
  afterAll(async () => {
    await receiver?.stop();
    await fixture?.stop();
  });

  const load = async (query = '') => (await visitor.get(`/console/webhooks/${id}${query}`)).html;
  const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  const barsOf = (html: string) => html.match(/<title>[^<]+UTC: [^<]+<\/title>/g)!;
  const deliver = async (...statuses: number[]) => {
    for (const status of statuses) {
      receiver.handler = respondWithStatus(status);
      const before = (await ada.getWebhook(id)).lastDeliveryAt;
      await ada.triggerEvent();
      await waitFor(async () => expect((await ada.getWebhook(id)).lastDeliveryAt).not.toBe(before));
      fixture.service.advanceClock(1);
    }
  };

  it('are none at first, in each range', async () => {
    for (const [range, words] of [
      ['hour', 'the last hour'],
      ['day', 'the last 24 hours'],
      ['week', 'the last 7 days'],
    ]) {
      const html = await load(`?range=${range}`);
      expect(textOf(html)).toContain(`There were no attempts in ${words}.`);
      expect(html).toContain(`?range=${range}#attempts" aria-current="true"`);
    }
    expect(await load()).toContain('?range=day#attempts" aria-current="true"');
    expect((await visitor.get(`/console/webhooks/${id}?range=year`)).status).toBe(400);
  });

  it('are counted with their successes and times', async () => {
    await deliver(204, 500, 204);
    await queryDatabase(
      fixture.service,
      `UPDATE webhook_attempts SET duration_ms = CASE status WHEN 500 THEN 4000 ELSE 120 END WHERE webhook_id = $1`,
      [id],
    );
    for (const range of RANGES) {
      const html = await load(`?range=${range}`);
      expect(textOf(html)).toContain(
        '66.6 % succeeded: 3 attempts, 1 failed. Half of the responses took up to 120 ms, 95 % up to 4,000 ms.',
      );
      // The last slot, but for a test that goes on while it ends.
      const bars = barsOf(html).filter((bar) => !/: (0 attempts|No responses)/.test(bar));
      expect(bars.join()).toContain('3 attempts, 1 failed');
      expect(html).toContain('<desc id="response-times-desc">Half of the responses took up to 120 ms');
    }
    expect(barsOf(await load('?range=hour'))).toHaveLength(2 * 12);
    expect(barsOf(await load('?range=day'))).toHaveLength(2 * 24);
    expect(barsOf(await load('?range=week'))).toHaveLength(2 * 28);
  });

  it('leave a range as they get older, and have no time without a response', async () => {
    await deliver(204);
    fixture.service.advanceClock(HOUR + 5 * MINUTE);
    const sentNothing = `UPDATE webhook_attempts SET status = NULL, error = $2 WHERE webhook_id = $1`;
    await queryDatabase(fixture.service, sentNothing, [id, 'timeout']);
    expect(textOf(await load('?range=hour'))).toContain('There were no attempts in the last hour.');
    const html = await load('?range=day');
    expect(textOf(html)).toContain('0 % succeeded: 1 attempt, 1 failed. ');
    expect(html).not.toContain('response-times');
    await queryDatabase(fixture.service, sentNothing, [id, 'secret_unreadable']);
    expect(textOf(await load('?range=day'))).toContain('There were no attempts in the last 24 hours.');
  });

  it('say when the next one is due after a failure', async () => {
    await deliver(500);
    const html = await load();
    expect(textOf(html)).toMatch(/Every attempt has failed since .* The next attempt is due \d+ \w+ \d{4}/);
    expect(html).toContain('data-live="true"');
    await queryDatabase(fixture.service, 'DELETE FROM webhook_deliveries WHERE webhook_id = $1', [id]);
    await ada.postAction(id, 'pause');
    await ada.postAction(id, 'resume');
    await deliver(204);
    expect(textOf(await load())).toContain('Events are being delivered.');
    expect(await load()).not.toContain('data-live="true"');
  });

  it('are not those of another webhook', async () => {
    await deliver(204);
    ({ id } = await ada.createWebhook(receiver.url, ['session.ended']));
    expect(textOf(await load('?range=week'))).toContain('There were no attempts in the last 7 days.');
  });
});
