import { HOUR } from '../../../src/common/clock';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver, respondWithStatus, type ReceivedRequest } from '../../support/webhooks/webhook-receiver';
import { insertWebhookDeliveries } from '../../support/webhooks/webhook-rows';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const HOSTILE = '</pre><script>alert(1)</script>';

describe('the console’s delivery log', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let visitor: ConsoleClient;
  let csrf: string;
  let webhookReceiver: WebhookReceiver;
  let id: string;
  let log: string;
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0,0' });
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
    ada = await Subscriber.signUp(fixture.service.http);
    visitor = await ConsoleClient.signIn(fixture.service.url, ada.device);
    csrf = await visitor.readCsrfToken();
    ({ id } = await ada.createWebhook(webhookReceiver.url, ['session.created']));
    log = `/console/webhooks/${id}/deliveries`;
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  const post = (path: string, fields: Record<string, string> = {}) => visitor.post(path, { csrf, ...fields });
  const rowsIn = (html: string) => [...html.matchAll(/<tr data-key="(dlv_\w+)"/g)].map(([, key]) => key!);
  const statesOf = async () => (await ada.listDeliveries(id)).map(({ state }) => state as string);
  const settled = (states: string[]) => waitFor(async () => expect(await statesOf()).toEqual(states), 10_000);
  /** Formats a time like the page, to the minute. */
  const minute = (at: number) => new Date(at).toISOString().slice(0, 16);

  it('shows the exact request of each attempt without the signature, and the response as text', async () => {
    const responders = [respondWithStatus(500, {}, HOSTILE), respondWithStatus(200)];
    webhookReceiver.handler = (received, response, n) => responders[n - 1]!(received, response, n);
    await ada.triggerEvent();
    await settled(['delivered']);
    const [row] = rowsIn((await visitor.get(log)).html);
    const { html } = await visitor.get(`${log}/${row}`);
    expect(html.match(/<li class="card"/g)).toHaveLength(2);
    for (const words of ['>500</span>', '>200</span>', 'The response had no body.']) expect(html).toContain(words);
    expect(html).toContain('&lt;/pre>&lt;script>alert(1)&lt;/script>');
    expect(html).not.toContain('<script>alert');
    const body = webhookReceiver.received[0]!.body;
    expect(html).toContain(`data-copy="${body.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`);
    const shown = [...html.matchAll(/^webhook-timestamp: (\d+)$/gm)].map(([, at]) => at);
    expect(shown).toEqual(webhookReceiver.received.map(({ headers }) => headers['webhook-timestamp']));
    for (const received of webhookReceiver.received) expectShown(html, received);
  });

  it('says that deliveries are held while the endpoint fails, and when it gets the next attempt', async () => {
    webhookReceiver.handler = respondWithStatus(500);
    for (let n = 0; n < 5; n++) await ada.triggerEvent();
    await settled(Array<string>(5).fill('failed'));
    await ada.triggerEvent();
    await waitFor(async () => expect(await statesOf()).toHaveLength(6));
    const { html } = await visitor.get(log);
    const [, at] = /held: the endpoint fails, next attempt <time datetime="([^"]+)"/.exec(html)!;
    expect(Date.parse(at!)).toBeGreaterThan(Date.now());
    const { html: page } = await visitor.get(`/console/webhooks/${id}`);
    const words = /queue is held: .* the next\s+\d+ \w+[^]*0 of the last 6 delivered\s+1 pending, 5 failed/;
    expect(page.replaceAll(/<[^>]+>/g, ' ')).toMatch(words);
  });

  it('shows the headers of a response as text, without those that may be secrets', async () => {
    const headers = { 'X-Trace': HOSTILE, 'Set-Cookie': 'login=hunter2', 'X-Api-Key': 'hunter2', Server: 'nginx' };
    webhookReceiver.handler = respondWithStatus(204, headers);
    await ada.triggerEvent();
    await settled(['delivered']);
    const [row] = rowsIn((await visitor.get(log)).html);
    const { html } = await visitor.get(`${log}/${row}`);
    expect(html).toContain('server: nginx');
    expect(html).toContain('x-trace: &lt;/pre>&lt;script>');
    const { attemptLog } = await ada.getDelivery(id, row!);
    expect(attemptLog[0].responseHeaders).toMatchObject({ server: 'nginx', 'x-trace': HOSTILE });
    for (const text of [html, JSON.stringify(attemptLog)]) {
      expect(text).not.toMatch(/hunter2|set-cookie:/);
      expect(text).not.toContain('x-api-key');
    }
  });

  it('has no headers of an attempt of the previous release', async () => {
    await ada.triggerEvent();
    await settled(['delivered']);
    await queryDatabase(fixture.service, 'UPDATE webhook_attempts SET response_headers = NULL');
    const [row] = rowsIn((await visitor.get(log)).html);
    const { status, html } = await visitor.get(`${log}/${row}`);
    expect(status).toBe(200);
    expect(html).not.toContain('Response headers');
    expect((await ada.getDelivery(id, row!)).attemptLog[0].responseHeaders).toBeNull();
  });

  it('sends a test event of a chosen type to this webhook alone, with a sample record', async () => {
    const other = await WebhookReceiver.start();
    await ada.createWebhook(other.url, ['*']);
    const answer = await post(`/console/webhooks/${id}/test`, { type: 'session.created' });
    expect(answer.status).toBe(303);
    await settled(['delivered']);
    const { payload } = webhookReceiver.received[0]!;
    expect(payload).toEqual({ type: 'session.created', timestamp: expect.any(Number), data: expect.any(Object) });
    expect(payload.data).toMatchObject({ object: 'session', state: 'active' });
    const real = await ada.triggerEvent();
    await settled(['delivered', 'delivered']);
    expect(real.id).toBeDefined();
    // The same members as those of a real event.
    const members = webhookReceiver.received.map((received) => Object.keys(received.payload.data).sort());
    expect(members[0]).toEqual(members[1]);
    await other.waitForRequests(1);
    expect(other.received).toHaveLength(1);
    await other.stop();
  });

  it('refuses a test event that doesn’t exist, and one that the creator may not receive', async () => {
    expect((await post(`/console/webhooks/${id}/test`, { type: 'session.burnt' })).status).toBe(400);
    const { status, html } = await post(`/console/webhooks/${id}/test`, { type: 'invocation.ended' });
    expect(status).toBe(403);
    expect(html).toContain('Nothing was sent');
    expect(await statesOf()).toEqual([]);
  });

  it('shows the trace of its attempts, if it has one', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expectStatus(
      await fixture.service.http.post(`/v1/webhooks/${id}/test`, ada.device.token, {}, { headers: { traceparent } }),
      202,
    );
    await settled(['delivered']);
    await ada.triggerEvent();
    await settled(['delivered', 'delivered']);
    const rows = rowsIn((await visitor.get(log)).html);
    const pages = await Promise.all(rows.map((row) => visitor.get(`${log}/${row}`)));
    expect(webhookReceiver.received.map(({ headers }) => headers.traceparent)).toEqual([traceparent, undefined]);
    const traces = pages.map(({ html }) => /^traceparent: (.*)$/m.exec(html)?.[1]);
    expect(traces).toEqual([undefined, traceparent]);
  });

  function expectShown(html: string, { headers }: ReceivedRequest): void {
    for (const name of ['content-type', 'user-agent', 'webhook-id']) {
      expect(html).toContain(`${name}: ${headers[name]}`);
    }
    expect(html).not.toContain(headers['webhook-signature']!.slice('v1,'.length));
  }

  it('explains why there was no response, and that nothing was sent', async () => {
    await webhookReceiver.stop();
    await ada.triggerEvent();
    await settled(['failed']);
    const [row] = rowsIn((await visitor.get(log)).html);
    const { html } = await visitor.get(`${log}/${row}`);
    expect(html).toContain('The connection could not be established.');
    expect(html).toContain('Nothing was sent.');
    expect(html).not.toContain('Request headers');
    webhookReceiver = await WebhookReceiver.start();
  });

  it('replays a delivery and redirects to the new one', async () => {
    await ada.triggerEvent();
    await settled(['delivered']);
    const [first] = await ada.listDeliveries(id);
    const { status: code, headers } = await post(`${log}/${first.id}/replay`);
    expect(code).toBe(303);
    await settled(['delivered', 'delivered']);
    const [copy] = await ada.listDeliveries(id);
    expect(headers.get('location')).toBe(`${log}/${copy.id}?replayed=1`);
    const [one, two] = webhookReceiver.received;
    expect([two!.body, two!.headers['webhook-id']]).toEqual([one!.body, one!.headers['webhook-id']]);
  });

  it('replays failed deliveries since a time and shows their number', async () => {
    webhookReceiver.handler = respondWithStatus(500);
    for (let n = 0; n < 2; n++) await ada.triggerEvent();
    await settled(['failed', 'failed']);
    webhookReceiver.handler = respondWithStatus(200);
    const replay = (failedSince: string) => post(`/console/webhooks/${id}/replay`, { failedSince });
    const none = await replay(minute(Date.now() + HOUR));
    expect((await visitor.get(none.headers.get('location')!)).html).toContain('No delivery has failed since then');
    const { headers } = await replay(minute(Date.now() - HOUR));
    await settled(['delivered', 'delivered', 'failed', 'failed']);
    expect((await visitor.get(headers.get('location')!)).html).toContain('Replaying 2 events.');
  });

  it.each(['', 'yesterday', '0001-01-01T00:00'])('rejects %j as the start of the failed deliveries', async (since) => {
    const answer = await post(`/console/webhooks/${id}/replay`, { failedSince: since });
    expect(answer.status).toBe(400);
    expect(answer.html).toContain('id="failedSince-fault"');
    expect(answer.html).toMatch(/<details[^>]* open/);
    expect(answer.html).toContain(since && `value="${since}"`);
    // The page isn't live, because its URL accepts only POST.
    expect(answer.html).not.toContain('data-live');
  });

  it('shows only deliveries that match the filters', async () => {
    await post(`/console/webhooks/${id}/pause`);
    const now = Date.now();
    for (const [state, type] of [
      ['delivered', 'session.created'],
      ['failed', 'session.created'],
      ['failed', 'session.ended'],
    ]) {
      await insertWebhookDeliveries({ query: (sql, p) => queryDatabase(fixture.service, sql, p) }, id, 2, {
        state,
        type,
      });
    }
    const count = async (filters: string) => rowsIn((await visitor.get(`${log}?${filters}`)).html).length;
    expect(await count('')).toBe(6);
    expect(await count('state=failed&type=&since=&until=')).toBe(4);
    expect(await count('state=failed&type=session.ended')).toBe(2);
    expect(await count(`since=${minute(now - HOUR)}&until=${minute(now + HOUR)}`)).toBe(6);
    expect(await count(`since=${minute(now + HOUR)}`)).toBe(0);
    expect(await count(`until=${minute(now - HOUR)}`)).toBe(0);
    const { html } = await visitor.get(`${log}?state=cancelled&since=2026-01-31T17:30`);
    expect(html).toContain('No matching deliveries');
    expect(html).toContain('<option value="cancelled" selected');
    expect(html).toContain('value="2026-01-31T17:30"');
  });

  it('finds all deliveries of an event by its ID', async () => {
    for (let n = 0; n < 2; n++) await ada.triggerEvent();
    await settled(['delivered', 'delivered']);
    const [, wanted] = await ada.listDeliveries(id);
    await post(`${log}/${wanted.id}/replay`);
    await settled(['delivered', 'delivered', 'delivered']);
    const [replay, other] = await ada.listDeliveries(id);
    const find = async (filters: string) => rowsIn((await visitor.get(`${log}?${filters}`)).html);
    expect(await find(`eventId=+${wanted.eventId}+`)).toEqual([replay.id, wanted.id]);
    expect(await find(`eventId=${other.eventId}&state=delivered`)).toEqual([other.id]);
    expect(await find(`eventId=${other.eventId}&state=failed`)).toEqual([]);
    const { id: elsewhere } = await ada.createWebhook(webhookReceiver.url, ['session.ended']);
    const path = `/console/webhooks/${elsewhere}/deliveries?eventId=${wanted.eventId}`;
    expect((await visitor.get(path)).html).toContain('No matching deliveries');
    const { token } = ada.device;
    const query = `/v1/webhooks/${id}/deliveries?limit=1&eventId=${wanted.eventId}`;
    const first = expectStatus(await fixture.service.http.get(query, token), 200);
    const second = expectStatus(await fixture.service.http.get(`${query}&cursor=${first.nextCursor}`, token), 200);
    expect([...first.data, ...second.data].map((delivery) => delivery.id)).toEqual([replay.id, wanted.id]);
    expect(second.nextCursor).toBeNull();
  });

  it('links deliveries to the session or the machine that their event is about', async () => {
    const { id: every } = await ada.createWebhook(webhookReceiver.url, ['session.created', 'machine.registered']);
    const everyLog = `/console/webhooks/${every}/deliveries`;
    const session = await ada.triggerEvent();
    const machine = await ada.device.pairDevice('machine');
    const about = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await fixture.service.http.post('/v1/machines', machine.token, about), 201);
    expectStatus(await fixture.service.http.post(`/v1/webhooks/${every}/test`, ada.device.token, {}), 202);
    const subjectsIn = (html: string) => [...html.matchAll(/href="(\/console\/(?:sessions|machines)\/\w+)"/g)];
    await waitFor(async () => {
      const { html } = await visitor.get(everyLog);
      expect(rowsIn(html)).toHaveLength(3);
      const expected = [`/console/machines/${data.id}`, `/console/sessions/${session.id}`];
      expect(subjectsIn(html).map(([, path]) => path)).toEqual(expected);
    });
    const [test, registered] = rowsIn((await visitor.get(everyLog)).html);
    const page = (await visitor.get(`${everyLog}/${registered}`)).html;
    expect(subjectsIn(page).map(([, path]) => path)).toEqual([`/console/machines/${data.id}`]);
    expect(subjectsIn((await visitor.get(`${everyLog}/${test}`)).html)).toEqual([]);
  });

  it.each([
    'state=eaten',
    'type=session.burnt',
    'eventId=evt_1',
    `eventId=evt_${'0'.repeat(25)}%25`,
    'since=yesterday',
    'until=0001-01-01T00:00',
  ])('shows an invalid filter again with its error: %s', async (filter) => {
    const { status: code, html } = await visitor.get(`${log}?${filter}`);
    expect(code).toBe(400);
    expect(html).toContain(`id="${filter.split('=')[0]}-fault"`);
  });

  it('pages with the filters, and updates only the first page live', async () => {
    await post(`/console/webhooks/${id}/pause`);
    await insertWebhookDeliveries({ query: (sql, p) => queryDatabase(fixture.service, sql, p) }, id, 60, {
      state: 'failed',
    });
    await insertWebhookDeliveries({ query: (sql, p) => queryDatabase(fixture.service, sql, p) }, id, 5, {
      state: 'delivered',
    });
    const first = (await visitor.get(`${log}?state=failed`)).html;
    expect(first).toContain('data-live="true"');
    const next = /rel="next" href="([^"]+)"/.exec(first)![1]!.replaceAll('&amp;', '&');
    const second = (await visitor.get(next)).html;
    expect(second).not.toContain('data-live');
    const rows = [...rowsIn(first), ...rowsIn(second)];
    expect([rows.length, new Set(rows).size]).toEqual([60, 60]);
    expect(second).toContain(`href="${log}?state=failed"`);
    expect((await visitor.get(`${log}?cursor=nonsense`)).status).toBe(400);
  });
});
