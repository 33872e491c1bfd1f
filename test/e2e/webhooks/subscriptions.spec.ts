import { EVENT_TYPES } from '../../../src/core/events';
import { HostResolver } from '../../../src/modules/webhook-sending/host-resolver';
import { queryDatabase, findTablesContaining, waitForAccountCleanup } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import { cleanUpDeletedWebhooks } from '../../support/webhooks/webhook-rows';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const PATH = '/external/v1/webhooks';
const URL = 'http://127.0.0.1:9/hook';

describe('webhook subscriptions', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
  });
  afterAll(() => fixture?.stop());
  const http = () => fixture.service.http;

  it('are created with a secret that is shown once and stored encrypted', async () => {
    const body = { url: URL, events: ['session.created', '*'], description: 'to chat'.padEnd(500, '.') };
    const httpResponse = await http().post(PATH, ada.token, body);
    const { data, signingSecret } = expectStatus(httpResponse, 201);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(data).toEqual({
      id: expect.stringMatching(/^whk_/),
      object: 'webhook',
      ...body,
      format: 'standard',
      headerNames: [],
      state: 'active',
      disabledReason: null,
      failingSince: null,
      lastDeliveryAt: null,
      lastDeliveryStatus: null,
      createdBy: { tokenId: ada.tokenId, appId: null },
      createdAt: expect.any(Number),
      updatedAt: data.createdAt,
    });
    expect(await ada.getWebhook(data.id)).toEqual(data);
    const list = await http().get(PATH, ada.token);
    expect(expectStatus(list, 200)).toEqual({
      data: [data],
      nextCursor: null,
      availableEvents: [...EVENT_TYPES],
    });
    const key = signingSecret.slice('whsec_'.length);
    expect(await findTablesContaining(fixture.service, key)).toEqual([]);
    const hex = Buffer.from(key, 'base64').toString('hex');
    const [row] = await queryDatabase<{ secret: Buffer }>(
      fixture.service,
      'SELECT secret FROM webhooks WHERE id = $1',
      [data.id],
    );
    expect(Buffer.from(row!.secret).toString('hex')).not.toContain(hex);
    expect(fixture.service.logs.join('')).not.toContain(key);
  });

  it('are filtered by state and event, and match every event if they subscribe to all', async () => {
    const one = await ada.createWebhook(URL, ['session.created']);
    const star = await ada.createWebhook(URL, ['*']);
    await ada.createWebhook(URL, ['machine.online']);
    const ids = async (filter: string) =>
      expectStatus(await http().get(`${PATH}?${filter}`, ada.token), 200).data.map((hook: any) => hook.id);
    expect(await ids('event=session.created')).toEqual([star.id, one.id]);
    expect(await ids('event=artifact.created&state=active')).toEqual([star.id]);
    expectStatus(await ada.postAction(one.id, 'pause'), 200);
    expect(await ids('state=paused')).toEqual([one.id]);
    expect(await ids('state=disabled')).toEqual([]);
    expect((await http().get(`${PATH}?event=surprise`, ada.token)).status).toBe(400);
    const first = expectStatus(await http().get(`${PATH}?limit=2`, ada.token), 200);
    expect(expectStatus(await http().get(`${PATH}?cursor=${first.nextCursor}`, ada.token), 200).data).toHaveLength(1);
  });

  it('are deleted, and are 404 for another account', async () => {
    const { id } = await ada.createWebhook(URL);
    const bob = await Subscriber.signUp(http());
    expect((await http().get(`${PATH}/${id}`, bob.token)).status).toBe(404);
    expect((await http().delete(`${PATH}/${id}`, bob.token)).status).toBe(404);
    for (const what of ['pause', 'resume', 'test', 'rotate-secret']) {
      expect((await bob.postAction(id, what)).status).toBe(404);
    }
    expect((await http().get(`/v1/webhooks/${id}/deliveries`, bob.device.token)).status).toBe(404);
    expect((await http().delete(`${PATH}/${id}`, ada.token)).status).toBe(204);
    expect((await http().delete(`${PATH}/${id}`, ada.token)).status).toBe(404);
  });

  it('are deleted once by concurrent calls, with one audit event', async () => {
    const rounds = 5;
    for (let round = 0; round < rounds; round++) {
      const { id } = await ada.createWebhook(URL);
      const answers = await Promise.all(Array.from({ length: 4 }, () => http().delete(`${PATH}/${id}`, ada.token)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
    }
    const { data } = expectStatus(await http().get('/v1/audit-events?limit=100', ada.device.token), 200);
    expect(data.filter(({ act }: any) => act === 'webhook.deleted')).toHaveLength(rounds);
  });

  it.each([
    [{ url: URL }, 'body,/events,required'],
    [{ url: URL, events: [] }, 'body,/events,out_of_range'],
    [{ url: URL, events: ['session.exploded'] }, 'body,/events,not_allowed'],
    [{ url: URL, events: ['*', '*'] }, 'body,/events,not_unique'],
    [{ url: 7, events: ['*'] }, 'body,/url,invalid_type'],
    [{ url: `https://example.com/${'x'.repeat(2_048)}`, events: ['*'] }, 'body,/url,out_of_range'],
    [{ url: 'ftp://example.com/', events: ['*'] }, 'body,/url,invalid_format'],
    [{ url: 'https://ada:secret@example.com/', events: ['*'] }, 'body,/url,invalid_format'],
    [{ url: 'example.com', events: ['*'] }, 'body,/url,invalid_format'],
    [{ url: ' https://example.com', events: ['*'] }, 'body,/url,invalid_format'],
    [{ url: URL, events: ['*'], description: 'x'.repeat(501) }, 'body,/description,out_of_range'],
    [{ url: URL, events: ['*'], format: 'teams' }, 'body,/format,not_allowed'],
    [{ url: URL, events: ['*'], headers: { Host: 'evil.example' } }, 'body,/headers,invalid_format'],
    [{ url: URL, events: ['*'], headers: { 'X-A': 'a\r\nX-B: b' } }, 'body,/headers,invalid_format'],
    [{ url: URL, events: ['*'], headers: ['X-A'] }, 'body,/headers,invalid_format'],
  ])('refuse %j', async (body, violation) => {
    const httpResponse = await http().post(PATH, ada.token, body);
    expect(httpResponse.status).toBe(400);
    expect(listViolations(httpResponse).map((each) => each.join())).toEqual([violation]);
  });

  it('require the read scopes of named events, and none for all events', async () => {
    const { token } = await ada.device.createToken(['webhooks:manage', 'machines:read']);
    const create = (events: string[]) => http().post(PATH, token, { url: URL, events });
    const refused = await create(['machine.online', 'session.created', 'artifact.deleted']);
    expect(refused.body).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      required: ['machines:read', 'sessions:read', 'artifacts:read'],
    });
    expectStatus(await create(['machine.online', 'token.created', 'relay.failed', 'webhook.test']), 201);
    expectStatus(await create(['*']), 201);
  });

  it('are limited to twenty, including disabled ones', async () => {
    const first = await ada.createWebhook(URL);
    await queryDatabase(fixture.service, `UPDATE webhooks SET state = 'disabled' WHERE id = $1`, [first.id]);
    for (let n = 1; n < 20; n++) await ada.createWebhook(URL);
    const refused = await ada.requestWebhook(URL);
    expect(refused.body).toMatchObject({ status: 403, code: 'plan_limit_exceeded', limit: 20 });
    expectStatus(await http().delete(`${PATH}/${first.id}`, ada.token), 204);
    expectStatus(await ada.requestWebhook(URL), 201);
  });

  it('are created once per Idempotency-Key, with the secret in one response only', async () => {
    const headers = { 'Idempotency-Key': 'one-webhook' };
    const create = (events: string[]) => http().post(PATH, ada.token, { url: URL, events }, { headers });
    const answers = await Promise.all([create(['*']), create(['*']), create(['*'])]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const firsts = answers.filter(({ headers: given }) => !given.has('idempotency-replayed'));
    expect(firsts).toHaveLength(1);
    for (const { body } of answers) expect(body.data).toEqual(firsts[0]!.body.data);
    const secrets = answers.map(({ body }) => body.signingSecret).filter((secret) => secret !== null);
    expect(secrets).toHaveLength(1);
    expect((await create(['session.created'])).body.code).toBe('idempotency_key_reused');
    expect(expectStatus(await http().get(PATH, ada.token), 200).data).toHaveLength(1);
  });

  it('are replayed under an Idempotency-Key also if their host has a refused address by then', async () => {
    const hostResolver = fixture.service.app.get(HostResolver, { strict: false });
    const resolve = jest.spyOn(hostResolver, 'resolveHost').mockResolvedValue(['127.0.0.1']);
    const body = { url: 'http://receiver.example/', events: ['session.created'] };
    const create = (key: string) => http().post(PATH, ada.token, body, { headers: { 'Idempotency-Key': key } });
    const first = expectStatus(await create('moved'), 201);
    resolve.mockResolvedValue(['10.0.0.1']);
    const again = await create('moved');
    const refused = await create('other');
    resolve.mockRestore();
    expect([again.status, again.body.data, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      first.data,
      'true',
    ]);
    expect(listViolations(refused).map((each) => each.join())).toEqual(['body,/url,invalid_format']);
  });

  it('are part of the account’s export, and deleted with the account', async () => {
    const { id, secret } = await ada.createWebhook(URL);
    const httpResponse = await http().get('/v1/account/export', ada.device.token);
    expect(httpResponse.body.data.webhooks).toMatchObject([{ id }]);
    expect(JSON.stringify(httpResponse.body)).not.toContain(secret);
    expectStatus(await http().delete('/v1/account', ada.device.token), 204);
    await waitForAccountCleanup(fixture.service);
    await cleanUpDeletedWebhooks(fixture.service);
    expect(await findTablesContaining(fixture.service, id)).toEqual([]);
  });
});
