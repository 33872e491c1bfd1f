import { EVENT_TYPES } from '../../../src/events';
import { query, tablesHolding } from '../../support/database';
import { ok } from '../../support/device/foreign-device';
import { faultsOf } from '../../support/faults';
import { clearRemains } from '../../support/webhooks/rows';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

const PATH = '/external/v1/webhooks';
const URL = 'http://127.0.0.1:9/hook';

describe('webhook subscriptions', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  beforeAll(async () => {
    scene = await WebhookScene.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(scene.service.http);
  });
  afterAll(() => scene?.stop());
  const http = () => scene.service.http;

  it('are made with a secret that is shown once, and kept sealed', async () => {
    const body = { url: URL, events: ['session.created', '*'], description: 'to chat' };
    const answer = await http().post(PATH, ada.token, body);
    const { data, signingSecret } = ok(answer, 201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(data).toEqual({
      id: expect.stringMatching(/^whk_/),
      object: 'webhook',
      ...body,
      state: 'active',
      disabledReason: null,
      failingSince: null,
      lastDeliveryAt: null,
      lastDeliveryStatus: null,
      createdBy: { tokenId: ada.tokenId, appId: null },
      createdAt: expect.any(Number),
      updatedAt: data.createdAt,
    });
    expect(await ada.webhook(data.id)).toEqual(data);
    const list = await http().get(PATH, ada.token);
    expect(ok(list, 200)).toEqual({ data: [data], nextCursor: null, availableEvents: [...EVENT_TYPES] });
    const key = signingSecret.slice('whsec_'.length);
    expect(await tablesHolding(scene.service, key)).toEqual([]);
    const hex = Buffer.from(key, 'base64').toString('hex');
    const [row] = await query<{ secret: Buffer }>(scene.service, 'SELECT secret FROM webhooks WHERE id = $1', [
      data.id,
    ]);
    expect(Buffer.from(row!.secret).toString('hex')).not.toContain(hex);
    expect(scene.service.logs.join('')).not.toContain(key);
  });

  it('are filtered by state and event, a star among the latter', async () => {
    const one = await ada.create(URL, ['session.created']);
    const star = await ada.create(URL, ['*']);
    await ada.create(URL, ['machine.online']);
    const ids = async (filter: string) =>
      ok(await http().get(`${PATH}?${filter}`, ada.token), 200).data.map((hook: any) => hook.id);
    expect(await ids('event=session.created')).toEqual([star.id, one.id]);
    expect(await ids('event=artifact.created&state=active')).toEqual([star.id]);
    ok(await ada.act(one.id, 'pause'), 200);
    expect(await ids('state=paused')).toEqual([one.id]);
    expect(await ids('state=disabled')).toEqual([]);
    expect((await http().get(`${PATH}?event=surprise`, ada.token)).status).toBe(400);
    const first = ok(await http().get(`${PATH}?limit=2`, ada.token), 200);
    expect(ok(await http().get(`${PATH}?cursor=${first.nextCursor}`, ada.token), 200).data).toHaveLength(1);
  });

  it('are deleted for good, and are another account’s 404', async () => {
    const { id } = await ada.create(URL);
    const bob = await Subscriber.signUp(http());
    expect((await http().get(`${PATH}/${id}`, bob.token)).status).toBe(404);
    expect((await http().delete(`${PATH}/${id}`, bob.token)).status).toBe(404);
    for (const what of ['pause', 'resume', 'test', 'rotate-secret']) {
      expect((await bob.act(id, what)).status).toBe(404);
    }
    expect((await http().get(`/v1/webhooks/${id}/deliveries`, bob.ada.token)).status).toBe(404);
    expect((await http().delete(`${PATH}/${id}`, ada.token)).status).toBe(204);
    expect((await http().delete(`${PATH}/${id}`, ada.token)).status).toBe(404);
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
  ])('refuse %j', async (body, fault) => {
    const answer = await http().post(PATH, ada.token, body);
    expect(answer.status).toBe(400);
    expect(faultsOf(answer).map((each) => each.join())).toEqual([fault]);
  });

  it('need the read scope of what they tell, a star none', async () => {
    const { token } = await ada.ada.createToken(['webhooks:manage', 'machines:read']);
    const create = (events: string[]) => http().post(PATH, token, { url: URL, events });
    const refused = await create(['machine.online', 'session.created', 'artifact.deleted']);
    expect(refused.body).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      required: ['machines:read', 'sessions:read', 'artifacts:read'],
    });
    ok(await create(['machine.online', 'token.created', 'relay.failed', 'webhook.test']), 201);
    ok(await create(['*']), 201);
  });

  it('number twenty at most, disabled ones counted', async () => {
    const first = await ada.create(URL);
    await query(scene.service, `UPDATE webhooks SET state = 'disabled' WHERE id = $1`, [first.id]);
    for (let n = 1; n < 20; n++) await ada.create(URL);
    const refused = await ada.tryCreate(URL);
    expect(refused.body).toMatchObject({ status: 403, code: 'plan_limit_exceeded', limit: 20 });
    ok(await http().delete(`${PATH}/${first.id}`, ada.token), 204);
    ok(await ada.tryCreate(URL), 201);
  });

  it('are made once under an Idempotency-Key, the secret told once', async () => {
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
    expect(ok(await http().get(PATH, ada.token), 200).data).toHaveLength(1);
  });

  it('are in the account’s export, and go with the account', async () => {
    const { id, secret } = await ada.create(URL);
    const answer = await http().get('/v1/account/export', ada.ada.token);
    expect(answer.body.data.webhooks).toMatchObject([{ id }]);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
    ok(await http().delete('/v1/account', ada.ada.token), 204);
    await clearRemains(scene.service);
    expect(await tablesHolding(scene.service, id)).toEqual([]);
  });
});
