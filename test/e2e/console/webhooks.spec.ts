import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UnitOfWork } from '../../../src/persistence';
import { ConsoleVisitor } from '../../support/console-visitor';
import { query } from '../../support/database';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { ThirdParty } from '../../support/oauth/third-party';
import { accept, Receiver, status, verify } from '../../support/webhooks/receiver';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

const PATH = '/console/webhooks';

describe('the console’s pages of webhooks', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let visitor: ConsoleVisitor;
  let csrf: string;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await WebhookScene.start({ WEBHOOK_RETRY_SCHEDULE: '0' });
    receiver = await Receiver.start();
  });
  beforeEach(async () => {
    receiver.answer = accept;
    receiver.received.length = 0;
    ada = await Subscriber.signUp(scene.service.http);
    visitor = await ConsoleVisitor.signIn(scene.service.url, ada.ada);
    csrf = await visitor.csrfToken();
  });
  afterAll(async () => {
    await receiver?.stop();
    await scene?.stop();
  });

  const post = (path: string, fields: string[][] = []) => visitor.post(path, [['csrf', csrf], ...fields]);
  const create = (...fields: string[][]) => post(PATH, [['url', receiver.url], ...fields]);
  const secretIn = (html: string) => /whsec_[\w+/]+=*/.exec(html)?.[0];
  const textOf = (html: string) => html.replace(/<[^>]+>/g, '').replace(/&quot;/g, '"');

  it('teach with a call that works, while there is none', async () => {
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

  it('make one, and show its secret by this answer alone', async () => {
    const made = await create(['events', 'session.created'], ['description', '<script>alert(1)</script>']);
    expect(made.status).toBe(200);
    const secret = secretIn(made.html)!;
    const { data } = ok(await scene.service.http.get('/external/v1/webhooks', ada.token), 200);
    expect(data).toMatchObject([{ events: ['session.created'], createdBy: { tokenId: null, appId: null } }]);
    for (const path of [PATH, `${PATH}/${data[0].id}`]) {
      const { html } = await visitor.get(path);
      expect(html).toContain('&lt;script>alert(1)');
      expect(html).not.toContain('<script>alert');
      expect(secretIn(html)).toBeUndefined();
      expect(textOf(html)).toContain('You, here');
    }
    await ada.happen();
    const [received] = await receiver.got(1);
    verify(secret, received!);
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
  ])('keep what was typed beside what is wrong with it: %s', async (_, fields, fault) => {
    const { status, html } = await post(PATH, [...fields, ['description', 'Typed "so"']]);
    expect(status).toBe(400);
    expect(html).toContain(`id="${fault}"`);
    expect(html).toContain('value="Typed &quot;so&quot;"');
    expect(html).toContain(`value="${fields[0]![1]}"`);
    expect(html.includes('value="*" checked')).toBe(fields.some(([, value]) => value === '*'));
  });

  it('name who made each, with two questions however many there are', async () => {
    const body = { url: receiver.url, events: ['webhook.test'] };
    const createWith = async (token: string) =>
      ok(await scene.service.http.post('/external/v1/webhooks', token, body), 201);
    const createBy = async (name: string) => {
      const { token } = await ada.ada.createToken(['webhooks:manage'], { name });
      await createWith(token);
    };
    const app = await ThirdParty.register(ada.ada, undefined, { name: 'Notes' });
    const { access_token } = await app.tokens(scene.service, ada.ada, { scope: 'webhooks:manage' });
    await createWith(access_token);
    await createBy('Reports');
    const questions = jest.spyOn(scene.service.app.get(UnitOfWork, { strict: false }), 'query');
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
    for (const name of ['The app Notes', 'The token Reports', 'The token Reports 3']) {
      expect(many.words).toContain(name);
    }
    expect([few.count, many.count]).toEqual([2, 2]);
  });

  it('page through many', async () => {
    for (let n = 0; n < 3; n++) await ada.create(`${receiver.url}?n=${n}`);
    const first = await visitor.get(`${PATH}?limit=2`);
    const next = /rel="next" href="([^"]+)"/.exec(first.html)![1]!.replace(/&amp;/g, '&');
    expect([first.html.includes('?n=2'), first.html.includes('?n=0')]).toEqual([true, false]);
    const second = await visitor.get(next);
    expect([second.html.includes('?n=2'), second.html.includes('?n=0')]).toEqual([false, true]);
  });

  it('pause, resume, rotate and delete', async () => {
    const { id, secret: old } = await ada.create(receiver.url, ['session.created']);
    const page = `${PATH}/${id}`;
    const paused = await post(`${page}/pause`);
    expect([paused.status, paused.headers.get('location')]).toEqual([303, page]);
    expect((await visitor.get(page)).html).toContain('>paused</span>');
    await ada.happen();
    await eventually(async () => {
      const waiting = (await visitor.get(`${page}/deliveries`)).html;
      expect(waiting).toContain('>pending</span>');
      expect(textOf(waiting)).toContain('next try once the webhook is resumed');
    });
    await post(`${page}/resume`);
    verify(old, (await receiver.got(1))[0]!);

    const rotated = await post(`${page}/rotate-secret`, [['overlapSeconds', '3600']]);
    const secret = secretIn(rotated.html)!;
    expect(secret).not.toBe(old);
    await ada.happen();
    const during = (await receiver.got(2))[1]!;
    for (const each of [old, secret]) verify(each, during);
    expect((await post(`${page}/rotate-secret`, [['overlapSeconds', '-1']])).status).toBe(400);

    const deleted = await post(`${page}/delete`);
    expect([deleted.status, deleted.headers.get('location')]).toEqual([303, PATH]);
    expect((await visitor.get(page)).status).toBe(404);
  });

  it('say in words why one is disabled, and resume it', async () => {
    receiver.answer = status(410);
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    const page = async () => textOf((await visitor.get(`${PATH}/${id}`)).html);
    await eventually(async () => expect(await page()).toContain('answered with 410'));
    expect(await page()).not.toContain('Send a test');
    await post(`${PATH}/${id}/resume`);
    expect(await page()).toContain('Deliveries go out.');
  });

  it('say on the page why a test was not sent', async () => {
    const { id } = await ada.create(receiver.url);
    await query(scene.service, "UPDATE webhooks SET url = 'http://10.0.0.1/' WHERE id = $1", [id]);
    const { status, html } = await post(`${PATH}/${id}/test`);
    expect(status).toBe(400);
    expect(html).toContain('Nothing was sent: the address must lead to public addresses alone.');
  });

  it('are nobody else’s', async () => {
    const { id } = await ada.create(receiver.url);
    await post(`${PATH}/${id}/test`);
    await receiver.got(1);
    const [delivery] = await ada.deliveries(id);
    const mallory = await Subscriber.signUp(scene.service.http);
    const other = await ConsoleVisitor.signIn(scene.service.url, mallory.ada);
    const foreign = { csrf: await other.csrfToken(), failedSince: '2026-01-01T00:00', overlapSeconds: '0' };
    const log = `${PATH}/${id}/deliveries`;
    for (const path of [`${PATH}/${id}`, log, `${log}/${delivery.id}`]) {
      expect([path, (await other.get(path)).status]).toEqual([path, 404]);
    }
    const acts = ['pause', 'resume', 'test', 'rotate-secret', 'delete', 'replay', `deliveries/${delivery.id}/replay`];
    for (const act of acts) {
      expect([act, (await other.post(`${PATH}/${id}/${act}`, foreign)).status]).toEqual([act, 404]);
      expect([act, (await visitor.post(`${PATH}/${id}/${act}`)).status]).toEqual([act, 403]);
    }
    expect((await other.get(PATH)).html).toContain('No webhook yet');
    expect(await ada.webhook(id)).toMatchObject({ state: 'active' });
    expect(await ada.deliveries(id)).toHaveLength(1);
  });
});
