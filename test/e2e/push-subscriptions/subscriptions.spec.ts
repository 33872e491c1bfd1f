import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { createPushEnv, PushService } from '../../support/push-service';
import { Service } from '../../support/service';

const PATH = '/v1/push-subscriptions';
const UNKNOWN = 'push_00000000000000000000000000';

describe('push subscriptions', () => {
  let service: Service;
  let pushService: PushService;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    pushService = await PushService.start();
    service = await Service.start(createPushEnv());
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(async () => {
    await service?.stop();
    await pushService?.stop();
  });

  const request = (changes: object = {}, by: { token: string } = ada) =>
    service.http.post(PATH, by.token, { ...pushService.addBrowser().subscription, ...changes });
  const create = async (changes: object = {}, by: { token: string } = ada) =>
    expectStatus(await request(changes, by), 201).data;
  const list = async (by: { token: string } = ada) => expectStatus(await service.http.get(PATH, by.token), 200);

  it('are created, listed with the key of the service, and deleted', async () => {
    const created = await create();
    expect(created).toEqual({
      id: expect.stringMatching(/^push_/),
      object: 'push_subscription',
      deviceId: ada.id,
      events: ['permission.requested', 'turn.completed', 'turn.failed'],
      createdAt: expect.any(Number),
    });
    expect(await list()).toEqual({
      data: [created],
      nextCursor: null,
      applicationServerKey: expect.stringMatching(/^B[A-Za-z0-9_-]{86}$/),
    });
    expectStatus(await service.http.delete(`${PATH}/${created.id}`, ada.token), 204);
    expect((await list()).data).toEqual([]);
    expectProblem(await service.http.delete(`${PATH}/${created.id}`, ada.token), 404, 'not_found');
    expectProblem(await service.http.delete(`${PATH}/${UNKNOWN}`, ada.token), 404, 'not_found');
  });

  it('are of one account', async () => {
    const { id } = await create();
    const eve = await ForeignAccountDevice.signUp(service.http);
    expect((await list(eve)).data).toEqual([]);
    expectProblem(await service.http.delete(`${PATH}/${id}`, eve.token), 404, 'not_found');
    expect((await list()).data).toHaveLength(1);
  });

  it('are one per browser, which a new one replaces', async () => {
    await create();
    const second = await create({ events: ['permission.requested'] });
    expect((await list()).data).toEqual([second]);
  });

  it('move with a browser to another account', async () => {
    const { subscription } = pushService.addBrowser();
    await create(subscription);
    const eve = await ForeignAccountDevice.signUp(service.http);
    await create(subscription, eve);
    expect((await list()).data).toEqual([]);
    expect((await list(eve)).data).toHaveLength(1);
  });

  it('are created by a script of the console with its login', async () => {
    const browser = await ConsoleClient.signIn(service.url, ada);
    const { subscription } = pushService.addBrowser();
    expect((await browser.postJson(PATH, subscription)).status).toBe(403);
    const headers = { 'X-CSRF-Token': await browser.readCsrfToken() };
    expect((await browser.postJson(PATH, subscription, headers)).body.data.deviceId).toBe(ada.id);
  });

  it('are refused to machines and without a credential', async () => {
    const machine = await ada.pairDevice('machine');
    expectProblem(await request({}, machine), 403, 'forbidden');
    expectProblem(await service.http.get(PATH, machine.token), 403, 'forbidden');
    expectProblem(await service.http.get(PATH), 401, 'missing_token');
  });

  it.each([
    ['/endpoint', { endpoint: 'not a URL' }],
    ['/endpoint', { endpoint: 'https://push.example.com/a' }],
    ['/endpoint', { endpoint: 'https://10.0.0.1/a' }],
    ['/p256dh', { p256dh: 'A'.repeat(87) }],
    ['/p256dh', { p256dh: 'short' }],
    ['/auth', { auth: 'short' }],
    ['/events', { events: [] }],
    ['/events', { events: ['session.created'] }],
    ['/events', { events: ['turn.failed', 'turn.failed'] }],
  ])('with a wrong %s are refused and change nothing: %j', async (path, changes) => {
    const existing = await create();
    expect(expectViolationPaths(await request(changes))).toEqual([path]);
    expect((await list()).data).toEqual([existing]);
  });

  it('are at most 50 of an account, also if browsers subscribe at the same time', async () => {
    const others = await Promise.all(['first', 'second', 'third'].map((name) => ada.pairDevice('account', name)));
    await queryDatabase(
      service,
      `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint, fingerprint,
                            created_at)
       SELECT left(id, -2) || n, account_id, kind, name, platform, public_key, encryption_key, thumbprint || n,
              fingerprint, created_at FROM devices, generate_series(10, 58) n
        WHERE id = $1 AND id <> left(id, -2) || n LIMIT 48`,
      [ada.id],
    );
    await queryDatabase(
      service,
      `INSERT INTO push_subscriptions (id, account_id, device_id, endpoint_hash, target, events, server_key, created_at)
       SELECT replace(id, 'dev_', 'push_'), account_id, id, 'x', 'x', '{turn.failed}', 'another', now()
         FROM devices WHERE account_id = $1 AND thumbprint LIKE (SELECT thumbprint || '__' FROM devices WHERE id = $2)`,
      [ada.accountId, ada.id],
    );
    const devices = [ada, ...others];
    const answers = await Promise.all(devices.map((device) => request({}, device)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(expectProblem(refused, 403, 'plan_limit_exceeded').limit).toBe(50);
    // A browser that has a subscription can replace it.
    await create({}, devices[answers.findIndex(({ status }) => status === 201)]);
  });

  it('end with a revoked browser, which can not create one again', async () => {
    const phone = await ada.pairDevice('account', 'phone');
    await create({}, phone);
    expectStatus(await service.http.delete(`/v1/devices/${phone.id}`, ada.token), 204);
    expect((await list()).data).toEqual([]);
    expectProblem(await request({}, phone), 401, 'invalid_token');
  });

  it('end with the account', async () => {
    await create();
    expectStatus(await service.http.delete('/v1/account', ada.token), 204);
    const rows = await queryDatabase(service, 'SELECT 1 FROM push_subscriptions WHERE account_id = $1', [
      ada.accountId,
    ]);
    expect(rows).toEqual([]);
  });

  it('are exported, and stored without their endpoints and keys in clear', async () => {
    const { subscription } = pushService.addBrowser();
    const created = await create(subscription);
    const { data } = expectStatus(await service.http.get('/v1/account/export', ada.token), 200);
    expect(data.pushSubscriptions).toEqual([created]);
    const [row] = await queryDatabase<any>(service, 'SELECT * FROM push_subscriptions WHERE id = $1', [created.id]);
    for (const secret of Object.values(subscription)) {
      expect(JSON.stringify(data)).not.toContain(secret);
      expect(row.target.toString('latin1')).not.toContain(secret);
      expect(service.logs.join('')).not.toContain(secret);
    }
  });
});

describe('push subscriptions that the operator has not turned on', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('are refused, and the list has no key', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const pushService = await PushService.start();
    const { subscription } = pushService.addBrowser();
    await pushService.stop();
    expectProblem(await service.http.post(PATH, ada.token, subscription), 409, 'conflict');
    const page = expectStatus(await service.http.get(PATH, ada.token), 200);
    expect(page).toEqual({ data: [], nextCursor: null, applicationServerKey: null });
  });
});
