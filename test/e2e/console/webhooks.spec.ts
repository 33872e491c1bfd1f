import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HOUR, SECOND } from '../../../src/common/clock';
import { UnitOfWork } from '../../../src/core/database';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { itWith } from '../../support/dependencies';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import {
  acceptRequest,
  WebhookReceiver,
  respondWithStatus,
  verifySignature,
} from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const PATH = '/console/webhooks';

describe('the console’s pages of webhooks', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let visitor: ConsoleClient;
  let csrf: string;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0' });
    webhookReceiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    webhookReceiver.handler = acceptRequest;
    webhookReceiver.received.length = 0;
    ada = await Subscriber.signUp(fixture.service.http);
    visitor = await ConsoleClient.signIn(fixture.service.url, ada.device);
    csrf = await visitor.readCsrfToken();
  });
  afterAll(async () => {
    await webhookReceiver?.stop();
    await fixture?.stop();
  });

  const post = (path: string, fields: string[][] = []) => visitor.post(path, [['csrf', csrf], ...fields]);
  const create = (...fields: string[][]) => post(PATH, [['url', webhookReceiver.url], ...fields]);
  const secretIn = (html: string) => /whsec_[\w+/]+=*/.exec(html)?.[0];
  const textOf = (html: string) => html.replace(/<[^>]+>/g, '').replace(/&quot;/g, '"');

  itWith('curl')('show a working example call while there are none', async () => {
    const { html } = await visitor.get(PATH);
    expect(html).toContain('href="/docs/webhooks"');
    const command = textOf(/<code[^>]*>(curl [\s\S]*?)<\/code>/.exec(html)![1]!);
    const { stdout } = await promisify(execFile)('bash', ['-c', `${command} -s`], {
      env: { ...process.env, TOKEN: ada.token },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      data: { object: 'webhook' },
      signingSecret: expect.stringMatching(/^whsec_/),
    });
    expect((await visitor.get(PATH)).html).toContain('https://example.com/hooks');
  });

  it('show a whole URL as the example of the field', async () => {
    const { html } = await visitor.get(`${PATH}/new`);
    const [, example] = /name="url"[^>]* placeholder="([^"]*)"/.exec(html) ?? /placeholder="([^"]*)"/.exec(html)!;
    expect(new URL(example!).pathname).toBe('/hooks');
  });

  it('create a webhook and show its secret only in this response', async () => {
    const made = await create(['events', 'session.created'], ['description', '<script>alert(1)</script>']);
    expect(made.status).toBe(200);
    expect(made.html).toContain('<h2>Signing secret</h2>');
    const secret = secretIn(made.html)!;
    const { data } = expectStatus(await fixture.service.http.get('/external/v1/webhooks', ada.token), 200);
    expect(data).toMatchObject([{ events: ['session.created'], createdBy: { tokenId: null, appId: null } }]);
    for (const path of [PATH, `${PATH}/${data[0].id}`]) {
      const { html } = await visitor.get(path);
      expect(html).toContain('&lt;script>alert(1)');
      expect(html).not.toContain('<script>alert');
      expect(secretIn(html)).toBeUndefined();
      expect(textOf(html)).toContain('You, in the console');
    }
    await ada.triggerEvent();
    const [received] = await webhookReceiver.waitForRequests(1);
    verifySignature(secret, received!);
  });

  it.each([
    [
      'an address that is none',
      [
        ['url', 'nowhere'],
        ['events', '*'],
      ],
      'url-fault',
    ],
    [
      'an address within',
      [
        ['url', 'http://10.0.0.1/'],
        ['events', '*'],
      ],
      'url-fault',
    ],
    ['no event', [['url', 'https://example.com/']], 'events-fault'],
    [
      'an event that there is not',
      [
        ['url', 'https://example.com/'],
        ['events', 'session.burnt'],
      ],
      'events-fault',
    ],
  ])('show the entered values again with the errors: %s', async (_, fields, fault) => {
    const { status, html } = await post(PATH, [...fields, ['description', 'Typed "so"']]);
    expect(status).toBe(400);
    expect(html).toContain(`id="${fault}"`);
    expect(html).toContain('value="Typed &quot;so&quot;"');
    expect(html).toContain(`value="${fields[0]![1]}"`);
    expect(html.includes('value="*" checked')).toBe(fields.some(([, value]) => value === '*'));
  });

  it('show the creator of each with two queries in total', async () => {
    const body = { url: webhookReceiver.url, events: ['webhook.test'] };
    const createWith = async (token: string) =>
      expectStatus(await fixture.service.http.post('/external/v1/webhooks', token, body), 201);
    const createBy = async (name: string) => {
      const { token } = await ada.device.createToken(['webhooks:manage'], { name });
      await createWith(token);
    };
    const app = await ThirdPartyApp.register(ada.device, undefined, { name: 'Notes' });
    const { access_token } = await app.obtainTokens(fixture.service, ada.device, { scope: 'webhooks:manage' });
    await createWith(access_token);
    await createBy('Reports');
    const questions = jest.spyOn(fixture.service.app.get(UnitOfWork, { strict: false }), 'queryRows');
    const listed = async () => {
      questions.mockClear();
      const words = textOf((await visitor.get(PATH)).html);
      const named = questions.mock.calls.filter(([sql]) =>
        /^SELECT id, name FROM (external_tokens|developer_apps)/.test(sql),
      );
      return { words, count: named.length };
    };
    const few = await listed();
    for (let n = 1; n < 4; n++) await createBy(`Reports ${n}`);
    const many = await listed();
    questions.mockRestore();
    for (const name of ['App Notes', 'Token Reports', 'Token Reports 3']) {
      expect(many.words).toContain(name);
    }
    expect([few.count, many.count]).toEqual([2, 2]);
  });

  it('list many in pages', async () => {
    for (let n = 0; n < 3; n++) await ada.createWebhook(`${webhookReceiver.url}?n=${n}`);
    const first = await visitor.get(`${PATH}?limit=2`);
    const next = /rel="next" href="([^"]+)"/.exec(first.html)![1]!.replace(/&amp;/g, '&');
    expect([first.html.includes('?n=2'), first.html.includes('?n=0')]).toEqual([true, false]);
    const second = await visitor.get(next);
    expect([second.html.includes('?n=2'), second.html.includes('?n=0')]).toEqual([false, true]);
  });

  it('pause, resume, rotate and delete', async () => {
    const { id, secret: old } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const page = `${PATH}/${id}`;
    const paused = await post(`${page}/pause`);
    expect([paused.status, paused.headers.get('location')]).toEqual([303, page]);
    expect((await visitor.get(page)).html).toContain('>paused</span>');
    await ada.triggerEvent();
    await waitFor(async () => {
      const waiting = (await visitor.get(`${page}/deliveries`)).html;
      expect(waiting).toContain('>waiting</span>');
      expect(textOf(waiting)).toContain('next attempt when the webhook is resumed');
    });
    await post(`${page}/resume`);
    verifySignature(old, (await webhookReceiver.waitForRequests(1))[0]!);

    const rotated = await post(`${page}/rotate-secret`, [['overlapSeconds', '3600']]);
    const secret = secretIn(rotated.html)!;
    expect(secret).not.toBe(old);
    await ada.triggerEvent();
    const during = (await webhookReceiver.waitForRequests(2))[1]!;
    for (const each of [old, secret]) verifySignature(each, during);
    expect((await post(`${page}/rotate-secret`, [['overlapSeconds', '-1']])).status).toBe(400);

    const deleted = await post(`${page}/delete`);
    expect([deleted.status, deleted.headers.get('location')]).toEqual([303, PATH]);
    expect((await visitor.get(page)).status).toBe(404);
  });

  it('edit a webhook, and show the entered values again with the errors', async () => {
    const { id, secret } = await ada.createWebhook('https://example.com/old', ['session.created']);
    const page = `${PATH}/${id}/edit`;
    const form = await visitor.get(page);
    expect(form.html).toContain('value="https://example.com/old"');
    expect(form.html).toContain('value="session.created" checked');
    const refused = await post(page, [
      ['url', 'http://10.0.0.1/'],
      ['description', 'Typed'],
    ]);
    expect(refused.status).toBe(400);
    for (const text of ['id="events-fault"', 'value="http://10.0.0.1/"', 'value="Typed"']) {
      expect(refused.html).toContain(text);
    }
    const fields = [
      ['url', webhookReceiver.url],
      ['events', 'session.created'],
      ['description', 'Reports'],
    ];
    const edited = await post(page, fields);
    expect([edited.status, edited.headers.get('location')]).toEqual([303, `${PATH}/${id}`]);
    const refusedScope = await post(page, [...fields, ['events', 'invocation.ended']]);
    expect(refusedScope.status).toBe(403);
    expect(await ada.getWebhook(id)).toMatchObject({ events: ['session.created'], description: 'Reports' });
    await ada.triggerEvent();
    verifySignature(secret, (await webhookReceiver.waitForRequests(1))[0]!);
  });

  it('explain why one is disabled, and resume it', async () => {
    webhookReceiver.handler = respondWithStatus(410);
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    const page = async () => textOf((await visitor.get(`${PATH}/${id}`)).html);
    await waitFor(async () => expect(await page()).toContain('responded with 410'));
    expect(await page()).not.toContain('Send test event');
    await post(`${PATH}/${id}/resume`);
    expect(await page()).toContain('Events are being delivered.');
  });

  it('explain too many pending deliveries, and replay what was missed meanwhile', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const disable = `UPDATE webhooks SET state = 'disabled', disabled_reason = 'too_many_pending' WHERE id = $1`;
    await queryDatabase(fixture.service, disable, [id]);
    for (let n = 0; n < 2; n++) await ada.triggerEvent();
    const text = textOf((await visitor.get(`${PATH}/${id}`)).html);
    expect(text).toContain('More than 10,000 deliveries were pending');
    expect(text).toContain('Then replay the missed events in the delivery log.');
    fixture.service.advanceClock(11 * SECOND);
    await post(`${PATH}/${id}/resume`);
    const failedSince = new Date(fixture.service.now - HOUR).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
    const { headers } = await post(`${PATH}/${id}/replay`, [['failedSince', failedSince]]);
    expect((await visitor.get(headers.get('location')!)).html).toContain('Replaying 2 events.');
    await webhookReceiver.waitForRequests(2);
  });

  it('show why a test was not sent', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url);
    await queryDatabase(fixture.service, "UPDATE webhooks SET url = 'http://10.0.0.1/' WHERE id = $1", [id]);
    const { status, html } = await post(`${PATH}/${id}/test`);
    expect(status).toBe(400);
    expect(html).toContain('Nothing was sent: the URL must resolve to public addresses only.');
  });

  it('are not accessible to other accounts', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url);
    await post(`${PATH}/${id}/test`);
    await webhookReceiver.waitForRequests(1);
    const [delivery] = await ada.listDeliveries(id);
    const mallory = await Subscriber.signUp(fixture.service.http);
    const other = await ConsoleClient.signIn(fixture.service.url, mallory.device);
    const foreign = {
      csrf: await other.readCsrfToken(),
      failedSince: '2026-01-01T00:00',
      overlapSeconds: '0',
    };
    const log = `${PATH}/${id}/deliveries`;
    for (const path of [`${PATH}/${id}`, `${PATH}/${id}/edit`, log, `${log}/${delivery.id}`]) {
      expect([path, (await other.get(path)).status]).toEqual([path, 404]);
    }
    const acts = [
      'edit',
      'pause',
      'resume',
      'test',
      'rotate-secret',
      'delete',
      'replay',
      `deliveries/${delivery.id}/replay`,
    ];
    for (const act of acts) {
      expect([act, (await other.post(`${PATH}/${id}/${act}`, foreign)).status]).toEqual([act, 404]);
      expect([act, (await visitor.post(`${PATH}/${id}/${act}`)).status]).toEqual([act, 403]);
    }
    expect((await other.get(PATH)).html).toContain('No webhooks yet');
    expect(await ada.getWebhook(id)).toMatchObject({ state: 'active' });
    expect(await ada.listDeliveries(id)).toHaveLength(1);
  });
});
