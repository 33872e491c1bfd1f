import { ConsoleClient } from '../../support/console-client';
import { findTablesContaining, queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';
import {
  acceptRequest,
  respondWithStatus,
  verifySignature,
  WebhookReceiver,
} from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const CREDENTIAL = 'Bearer tk_a_secret_of_the_receiver';

describe('a webhook', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0,0' });
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => receiver.stop());
  afterAll(() => fixture?.stop());

  const edit = async (id: string, json: object) =>
    expectStatus(
      await fixture.service.http.request('PATCH', `/v1/webhooks/${id}`, { token: ada.device.token, json }),
      200,
    ).data;
  const linkOf = (path: string) => `${fixture.service.url}/console${path}`;

  describe('of a format', () => {
    it('sends Slack a text with a link, signed', async () => {
      const { secret, record } = await ada.createWebhook(receiver.url, ['session.created'], { format: 'slack' });
      expect(record).toMatchObject({ format: 'slack', headerNames: [] });
      const { id } = await ada.triggerEvent();
      const [request] = await receiver.waitForRequests(1);
      const text = `A session is created. <${linkOf(`/sessions/${id}`)}|Open the console>`;
      expect(request).toMatchObject({ payload: { text }, headers: { 'content-type': 'application/json' } });
      expect(verifySignature(secret, request!)).toEqual({ text });
    });

    it('sends ntfy a line with a title and a link, signed', async () => {
      const { secret } = await ada.createWebhook(receiver.url, ['session.created'], { format: 'ntfy' });
      const { id } = await ada.triggerEvent();
      const [request] = await receiver.waitForRequests(1);
      expect(request).toMatchObject({
        body: 'A session is created',
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          title: 'External API',
          click: linkOf(`/sessions/${id}`),
        },
      });
      // The library parses what it has verified as JSON.
      expect(() => verifySignature(secret, request!)).toThrow('is not valid JSON');
      expect(() => verifySignature(secret, { ...request!, body: 'Another line' })).toThrow('No matching signature');
    });

    it('links to pages of the console', async () => {
      await ada.createWebhook(receiver.url, ['*'], { format: 'ntfy' });
      const console = await ConsoleClient.signIn(fixture.service.url, ada.device);
      const device = await ada.device.pairDevice('machine');
      const machine = { name: 'box', platform: 'linux' };
      expectStatus(await fixture.service.http.post('/v1/machines', device.token, machine), 201);
      await ada.device.createToken(['usage:read']);
      const session = await ada.triggerEvent();
      const deleted = await ada.triggerEvent();
      expectStatus(await fixture.service.http.delete(`/v1/sessions/${deleted.id}`, ada.device.token), 204);
      const requests = await receiver.waitForRequests(5);
      const paths = requests.map(({ headers }) => headers.click!.slice(fixture.service.url.length)).sort();
      expect(paths).toEqual([
        expect.stringMatching(/^\/console\/machines\/mch_/),
        '/console/sessions',
        ...[session.id, deleted.id].map((id) => `/console/sessions/${id}`),
        expect.stringMatching(/^\/console\/tokens\/tok_/),
      ]);
      for (const path of paths) {
        const status = path.endsWith(deleted.id) ? 404 : 200;
        expect([path, (await console.get(path)).status]).toEqual([path, status]);
      }
    });

    it('sends pending deliveries in the format that it has when they are due', async () => {
      const { id } = await ada.createWebhook(receiver.url, ['session.created']);
      expectStatus(await ada.postAction(id, 'pause'), 200);
      await ada.triggerEvent();
      await waitFor(async () => expect(await ada.listDeliveries(id)).toHaveLength(1));
      expect(await edit(id, { format: 'ntfy' })).toMatchObject({ format: 'ntfy', state: 'paused' });
      expectStatus(await ada.postAction(id, 'resume'), 200);
      expect((await receiver.waitForRequests(1))[0]!.body).toBe('A session is created');
    });
  });

  describe('with headers', () => {
    const headers = { Authorization: CREDENTIAL, 'X-Priority': 'high' };
    const create = (extra: object = {}) => ada.createWebhook(receiver.url, ['session.created'], { headers, ...extra });

    it('sends them with each attempt, and shows their names only', async () => {
      receiver.handler = (request, response, n) =>
        (n === 1 ? respondWithStatus(500) : acceptRequest)(request, response, n);
      const { id, secret, record } = await create();
      expect(record.headerNames).toEqual(['authorization', 'x-priority']);
      expect(await ada.getWebhook(id)).toEqual(record);
      await ada.triggerEvent();
      for (const request of await receiver.waitForRequests(2)) {
        expect(request.headers).toMatchObject({ authorization: CREDENTIAL, 'x-priority': 'high' });
        verifySignature(secret, request);
      }
      const { http } = fixture.service;
      const responses = [
        await http.get('/v1/account/export', ada.device.token),
        await http.get(`/v1/webhooks/${id}/deliveries`, ada.device.token),
        await http.get('/external/v1/webhooks', ada.token),
      ];
      expect(JSON.stringify(responses.map(({ body }) => body))).not.toContain(CREDENTIAL);
      expect(await findTablesContaining(fixture.service, CREDENTIAL)).toEqual([]);
      const [row] = await queryDatabase<{ headers: Buffer }>(
        fixture.service,
        'SELECT headers FROM webhooks WHERE id = $1',
        [id],
      );
      expect(Buffer.from(row!.headers).toString('latin1')).not.toContain('tk_a_secret');
      expect(fixture.service.logs.join('')).not.toContain(CREDENTIAL);
    });

    it('may replace the title and the link of ntfy, and nothing that the service signs', async () => {
      const own = { Title: 'Workshop', Click: 'https://status.example', Priority: '5' };
      await create({ format: 'ntfy', headers: own });
      await ada.triggerEvent();
      const [request] = await receiver.waitForRequests(1);
      expect(request!.headers).toMatchObject({ title: 'Workshop', click: 'https://status.example', priority: '5' });
      for (const name of ['Webhook-Id', 'Content-Type', 'Host', 'Transfer-Encoding', 'Signature']) {
        const refused = await ada.requestWebhook(receiver.url, ['*'], { headers: { [name]: 'a' } });
        expect(expectProblem(refused, 400, 'invalid_request').errors[0].message).toContain(name);
      }
    });

    it('replaces and removes them, and keeps them in other edits', async () => {
      const { id } = await create();
      expect((await edit(id, { description: 'A', url: `${receiver.url}/other` })).headerNames).toHaveLength(2);
      expect((await edit(id, { headers: { 'X-New': 'n' } })).headerNames).toEqual(['x-new']);
      await ada.triggerEvent();
      const [request] = await receiver.waitForRequests(1);
      expect(request!.headers['x-new']).toBe('n');
      expect(request!.headers.authorization).toBeUndefined();
      expect((await edit(id, { headers: {} })).headerNames).toEqual([]);
    });

    it('never sends them to another origin than the one that they were given for', async () => {
      const other = await WebhookReceiver.start();
      const { id } = await create();
      expect((await edit(id, { url: other.url })).headerNames).toEqual([]);
      await ada.triggerEvent();
      const [request] = await other.waitForRequests(1);
      expect(request!.headers.authorization).toBeUndefined();
      expect((await edit(id, { url: receiver.url, headers })).headerNames).toHaveLength(2);
      await other.stop();
    });

    it('sends nothing while no key decrypts them', async () => {
      const [{ id }, { id: otherId }] = [await create(), await create()];
      // Headers of another webhook are as unreadable as those of a key that was removed.
      await queryDatabase(
        fixture.service,
        'UPDATE webhooks SET headers = (SELECT headers FROM webhooks WHERE id = $2) WHERE id = $1',
        [id, otherId],
      );
      await ada.triggerEvent();
      await waitFor(async () => {
        const [delivery] = await ada.listDeliveries(id);
        expect((await ada.getDelivery(id, delivery.id)).attemptLog).toMatchObject([{ error: 'secret_unreadable' }]);
      });
      expect(receiver.received).toHaveLength(1);
    });

    it('is created once per Idempotency-Key, and not by one of other headers', async () => {
      const { http } = fixture.service;
      const options = { headers: { 'Idempotency-Key': 'with-headers' } };
      const body = { url: receiver.url, events: ['session.created'], headers };
      expectStatus(await http.post('/external/v1/webhooks', ada.token, body, options), 201);
      expectStatus(await http.post('/external/v1/webhooks', ada.token, body, options), 201);
      const changed = { ...body, headers: { Authorization: 'Bearer another' } };
      expectProblem(
        await http.post('/external/v1/webhooks', ada.token, changed, options),
        422,
        'idempotency_key_reused',
      );
      expect(await findTablesContaining(fixture.service, CREDENTIAL)).toEqual([]);
    });
  });
});
