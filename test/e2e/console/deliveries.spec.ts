import { HOUR } from '../../../src/common/clock';
import { ConsoleVisitor } from '../../support/console-visitor';
import { query } from '../../support/database';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { Receiver, status, type Received } from '../../support/webhooks/receiver';
import { insertDeliveries } from '../../support/webhooks/rows';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

const HOSTILE = '</pre><script>alert(1)</script>';

describe('the console’s delivery log', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let visitor: ConsoleVisitor;
  let csrf: string;
  let receiver: Receiver;
  let id: string;
  let log: string;
  beforeAll(async () => {
    scene = await WebhookScene.start({ WEBHOOK_RETRY_SCHEDULE: '0,0' });
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
    ada = await Subscriber.signUp(scene.service.http);
    visitor = await ConsoleVisitor.signIn(scene.service.url, ada.ada);
    csrf = await visitor.csrfToken();
    ({ id } = await ada.create(receiver.url, ['session.created']));
    log = `/console/webhooks/${id}/deliveries`;
  });
  afterEach(() => receiver.stop());
  afterAll(() => scene?.stop());

  const post = (path: string, fields: Record<string, string> = {}) => visitor.post(path, { csrf, ...fields });
  const rowsIn = (html: string) => [...html.matchAll(/<tr data-key="(dlv_\w+)"/g)].map(([, key]) => key!);
  const statesOf = async () => (await ada.deliveries(id)).map(({ state }) => state as string);
  const settled = (states: string[]) => eventually(async () => expect(await statesOf()).toEqual(states), 10_000);
  /** As the page writes a moment, to the minute. */
  const minute = (at: number) => new Date(at).toISOString().slice(0, 16);

  it('tells of each try what was sent, byte for byte but the signature, and what came back, as text', async () => {
    receiver.answer = (received, response, n) =>
      n === 1 ? status(500, {}, HOSTILE)(received, response, n) : status(200)(received, response, n);
    await ada.happen();
    await settled(['delivered']);
    const [row] = rowsIn((await visitor.get(log)).html);
    const { html } = await visitor.get(`${log}/${row}`);
    expect(html.match(/<li class="card"/g)).toHaveLength(2);
    for (const words of ['>500</span>', '>200</span>', 'The answer had no text.']) expect(html).toContain(words);
    expect(html).toContain('&lt;/pre>&lt;script>alert(1)&lt;/script>');
    expect(html).not.toContain('<script>alert');
    const body = receiver.received[0]!.body;
    expect(html).toContain(`data-copy="${body.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`);
    const shown = [...html.matchAll(/^webhook-timestamp: (\d+)$/gm)].map(([, at]) => at);
    expect(shown).toEqual(receiver.received.map(({ headers }) => headers['webhook-timestamp']));
    for (const received of receiver.received) expectShown(html, received);
  });

  it('shows the trace that its tries went on, where there was one', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    ok(await scene.service.http.post(`/v1/webhooks/${id}/test`, ada.ada.token, {}, { headers: { traceparent } }), 202);
    await settled(['delivered']);
    await ada.happen();
    await settled(['delivered', 'delivered']);
    const rows = rowsIn((await visitor.get(log)).html);
    const pages = await Promise.all(rows.map((row) => visitor.get(`${log}/${row}`)));
    expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual([traceparent, undefined]);
    const traces = pages.map(({ html }) => /^traceparent: (.*)$/m.exec(html)?.[1]);
    expect(traces).toEqual([undefined, traceparent]);
  });

  function expectShown(html: string, { headers }: Received): void {
    for (const name of ['content-type', 'user-agent', 'webhook-id']) {
      expect(html).toContain(`${name}: ${headers[name]}`);
    }
    expect(html).not.toContain(headers['webhook-signature']!.slice('v1,'.length));
  }

  it('says in words why there was no answer, and that nothing was sent', async () => {
    await receiver.stop();
    await ada.happen();
    await settled(['failed']);
    const [row] = rowsIn((await visitor.get(log)).html);
    const { html } = await visitor.get(`${log}/${row}`);
    expect(html).toContain('Nobody listens there.');
    expect(html).toContain('Nothing was sent.');
    expect(html).not.toContain('Request headers');
    receiver = await Receiver.start();
  });

  it('sends one again, and leads to the new delivery', async () => {
    await ada.happen();
    await settled(['delivered']);
    const [first] = await ada.deliveries(id);
    const { status: code, headers } = await post(`${log}/${first.id}/replay`);
    expect(code).toBe(303);
    await settled(['delivered', 'delivered']);
    const [copy] = await ada.deliveries(id);
    expect(headers.get('location')).toBe(`${log}/${copy.id}`);
    const [one, two] = receiver.received;
    expect([two!.body, two!.headers['webhook-id']]).toEqual([one!.body, one!.headers['webhook-id']]);
  });

  it('sends again what failed since a time, and says how many', async () => {
    receiver.answer = status(500);
    for (let n = 0; n < 2; n++) await ada.happen();
    await settled(['failed', 'failed']);
    receiver.answer = status(200);
    const replay = (failedSince: string) => post(`/console/webhooks/${id}/replay`, { failedSince });
    const none = await replay(minute(Date.now() + HOUR));
    expect((await visitor.get(none.headers.get('location')!)).html).toContain('Nothing had failed since then.');
    const { headers } = await replay(minute(Date.now() - HOUR));
    await settled(['delivered', 'delivered', 'failed', 'failed']);
    expect((await visitor.get(headers.get('location')!)).html).toContain('2 events are sent again.');
  });

  it.each(['', 'yesterday', '0001-01-01T00:00'])('asks again since when, where it was told %j', async (since) => {
    const answer = await post(`/console/webhooks/${id}/replay`, { failedSince: since });
    expect(answer.status).toBe(400);
    expect(answer.html).toContain('id="failedSince-fault"');
    expect(answer.html).toMatch(/<details[^>]* open/);
    expect(answer.html).toContain(since && `value="${since}"`);
    // A reload of this address is none of the log.
    expect(answer.html).not.toContain('data-live');
  });

  it('shows what its filters ask for', async () => {
    await post(`/console/webhooks/${id}/pause`);
    const now = Date.now();
    for (const [state, type] of [
      ['delivered', 'session.created'],
      ['failed', 'session.created'],
      ['failed', 'session.ended'],
    ]) {
      await insertDeliveries({ query: (sql, p) => query(scene.service, sql, p) }, id, 2, { state, type });
    }
    const count = async (filters: string) => rowsIn((await visitor.get(`${log}?${filters}`)).html).length;
    expect(await count('')).toBe(6);
    expect(await count('state=failed&type=&since=&until=')).toBe(4);
    expect(await count('state=failed&type=session.ended')).toBe(2);
    expect(await count(`since=${minute(now - HOUR)}&until=${minute(now + HOUR)}`)).toBe(6);
    expect(await count(`since=${minute(now + HOUR)}`)).toBe(0);
    expect(await count(`until=${minute(now - HOUR)}`)).toBe(0);
    const { html } = await visitor.get(`${log}?state=cancelled&since=2026-01-31T17:30`);
    expect(html).toContain('Nothing like that');
    expect(html).toContain('<option value="cancelled" selected');
    expect(html).toContain('value="2026-01-31T17:30"');
  });

  it.each(['state=eaten', 'type=session.burnt', 'since=yesterday', 'until=0001-01-01T00:00'])(
    'keeps a filter that it cannot use beside what is wrong with it: %s',
    async (filter) => {
      const { status: code, html } = await visitor.get(`${log}?${filter}`);
      expect(code).toBe(400);
      expect(html).toContain(`id="${filter.split('=')[0]}-fault"`);
    },
  );

  it('pages through many with its filters, and follows the first page alone', async () => {
    await post(`/console/webhooks/${id}/pause`);
    await insertDeliveries({ query: (sql, p) => query(scene.service, sql, p) }, id, 60, { state: 'failed' });
    await insertDeliveries({ query: (sql, p) => query(scene.service, sql, p) }, id, 5, {
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
