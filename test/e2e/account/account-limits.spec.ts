import { AccountAdminService, type AccountLimits } from '../../../src/modules/accounts';
import { ConsoleClient } from '../../support/console-client';
import { GrantedSession } from '../../support/content/granted-session';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { waitFor } from '../../support/wait-for';
import type { HttpResponse } from '../../support/http-client';
import { expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

const HOOK = { url: 'https://receiver.example/hook', events: ['*'] };

describe('an account with overridden limits', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    token = (await ada.createToken(['machines:invoke', 'webhooks:manage'])).token;
  });
  afterAll(() => service?.stop());

  const limit = (changes: Partial<Record<keyof AccountLimits, number | null>>) =>
    service.app.get(AccountAdminService, { strict: false }).setAccountLimits(ada.accountId, changes);
  const me = (by = token) => service.http.get('/external/v1/me', by);
  const invoke = () =>
    service.http.post('/external/v1/machines/mch_00000000000000000000000000/invoke', token, { command: 'x' });
  const showsLimit = (call: () => Promise<HttpResponse>, expected: number) =>
    waitFor(async () => {
      const httpResponse = await call();
      expect(httpResponse.headers.get('x-ratelimit-limit')).toBe(String(expected));
      return httpResponse;
    }, 1_000);

  /** Waits for the plan: the cached look-up of the token may be half a second old. */
  const showsPlan = (expected: object) =>
    waitFor(async () => {
      const { plan } = expectStatus(await me(), 200).data;
      expect(plan).toMatchObject(expected);
      return plan as object;
    }, 1_000);

  it('shows them as its plan in both APIs, and the default limits after they are removed', async () => {
    await limit({ maxTokens: 3, relayPerMinute: 7 });
    await limit({ maxTokens: null, maxWebhooks: 1 });
    const own = { maxTokens: 50, relayPerMinute: 7, maxWebhooks: 1, metadataPerMinute: 600 };
    const plan = await showsPlan({ name: 'custom', limits: own });
    expect(expectStatus(await service.http.get('/v1/account', ada.token), 200).data.plan).toEqual(plan);
    await limit({ relayPerMinute: null, maxWebhooks: null });
    await showsPlan({ name: 'standard', limits: { relayPerMinute: 60, maxWebhooks: 20 } });
  });

  it('applies a lower rate limit at once, also to a running window', async () => {
    await limit({ metadataPerMinute: 5 });
    const fifth = await (async () => {
      await showsLimit(me, 5);
      let httpResponse = await me();
      while (httpResponse.status === 200) httpResponse = await me();
      return httpResponse;
    })();
    expect(expectProblem(fifth, 429, 'rate_limited').detail).toContain('takes 5 calls');
    await limit({ metadataPerMinute: 1_000 });
    const { body, headers } = await showsLimit(me, 1_000);
    expect(headers.get('ratelimit-policy')).toBe('"metadata";q=1000;w=60');
    expect(body.meta.rateLimit.limit).toBe(1_000);
  });

  it('applies the relay limit, which /me shows without consuming from the bucket', async () => {
    await limit({ relayPerMinute: 2 });
    await showsLimit(invoke, 2);
    const refused = await waitFor(async () => {
      const httpResponse = await invoke();
      expect(httpResponse.status).toBe(429);
      return httpResponse;
    });
    expect(refused.body.bucket).toBe('relay');
    expect(expectStatus(await me(), 200).meta.rateLimits.relay).toMatchObject({ limit: 2, remaining: 0 });
  });

  it('shows them on the usage page of the console', async () => {
    await limit({ relayPerMinute: 4321 });
    const visitor = await ConsoleClient.signIn(service.url, ada);
    expect((await visitor.get('/console/usage')).html).toMatch(/4,?321/);
  });

  it('doesn’t affect other accounts', async () => {
    await limit({ metadataPerMinute: 5 });
    const eve = await ForeignAccountDevice.signUp(service.http);
    const hers = (await eve.createToken(['usage:read'])).token;
    expect((await me(hers)).headers.get('x-ratelimit-limit')).toBe('600');
  });

  it.each<[keyof AccountLimits, () => Promise<HttpResponse>]>([
    [
      'maxTokens',
      () => service.http.post('/v1/account/external-tokens', ada.token, { name: 'x', scopes: ['usage:read'] }),
    ],
    [
      'maxApps',
      () =>
        service.http.post('/v1/developer/apps', ada.token, {
          name: 'x',
          redirectUris: ['https://x.example/'],
        }),
    ],
    ['maxWebhooks', () => service.http.post('/external/v1/webhooks', token, HOOK)],
  ])('enforces %s', async (name, create) => {
    const there = name === 'maxTokens' ? 1 : 0;
    await limit({ [name]: there + 1 });
    expect((await create()).status).toBe(201);
    expect(expectProblem(await create(), 403, 'plan_limit_exceeded').limit).toBe(there + 1);
    await limit({ [name]: there + 2 });
    expect((await create()).status).toBe(201);
  });

  it('enforces maxDevices, including revoked devices', async () => {
    await ada.pairDevice('machine');
    await limit({ maxDevices: 3 });
    await ada.pairDevice('machine');
    const { data } = expectStatus(await service.http.get('/v1/devices', ada.token), 200);
    const { id } = data.find(({ kind }: { kind: string }) => kind === 'machine');
    expect((await service.http.delete(`/v1/devices/${id}`, ada.token)).status).toBe(204);
    const stranger = new ForeignDevice(service.http);
    const { code } = await stranger.requestPairing('machine');
    const approve = () =>
      service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, {
        enrollment: ada.createEnrollment(stranger),
      });
    expect(expectProblem(await approve(), 403, 'plan_limit_exceeded').limit).toBe(3);
    await limit({ maxDevices: 4 });
    expect((await approve()).status).toBe(204);
  });

  it('enforces maxKeyGrants, without grants that have ended', async () => {
    const [first, second] = [await GrantedSession.createSession(ada), await GrantedSession.createSession(ada)];
    await limit({ maxKeyGrants: 1 });
    const { data: bound } = expectStatus(
      await service.http.post('/v1/account/external-tokens', ada.token, {
        name: 'x',
        scopes: ['usage:read'],
      }),
      201,
    );
    expectStatus(await first.grantToService({ tokenId: bound.id }), 201);
    expectStatus(await first.grantToService({ tokenId: bound.id }), 200);
    expect(expectProblem(await second.grantToService(), 403, 'plan_limit_exceeded').limit).toBe(1);
    await service.http.delete(`/v1/account/external-tokens/${bound.id}`, ada.token);
    expectStatus(await second.grantToService(), 201);
  });

  it('enforces maxStorageBytes', async () => {
    const session = await DeviceSession.createSession(ada);
    await limit({ maxStorageBytes: 100 });
    const refused = await session.postMessages([session.encryptMessage('too-much')]);
    expect(expectProblem(refused, 403, 'plan_limit_exceeded').limit).toBe(100);
    await limit({ maxStorageBytes: 100_000 });
    expectStatus(await session.postMessages([session.encryptMessage('enough')]), 201);
  });
});

describe('an account of a service with other default limits', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  beforeAll(async () => {
    service = await Service.start({
      PLAN_MAX_TOKENS: '1',
      PLAN_MAX_APPS: '2',
      PLAN_MAX_WEBHOOKS: '1',
      PLAN_MAX_STORAGE_BYTES: '1048576',
      PLAN_MAX_KEPT_ANSWER_BYTES: '0',
      PLAN_MAX_DEVICES: '5',
      PLAN_MAX_KEY_GRANTS: '6',
    });
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('has them as its standard plan, which is enforced, and an override takes precedence', async () => {
    const { token } = await ada.createToken(['webhooks:manage']);
    const { plan } = expectStatus(await service.http.get('/external/v1/me', token), 200).data;
    expect(plan).toMatchObject({
      name: 'standard',
      limits: {
        maxTokens: 1,
        maxApps: 2,
        maxWebhooks: 1,
        maxStorageBytes: 1_048_576,
        maxKeptAnswerBytes: 0,
        maxDevices: 5,
        maxKeyGrants: 6,
        relayPerMinute: 60,
      },
    });
    const createToken = () =>
      service.http.post('/v1/account/external-tokens', ada.token, { name: 'two', scopes: ['usage:read'] });
    expect(expectProblem(await createToken(), 403, 'plan_limit_exceeded').limit).toBe(1);
    const createWebhook = (key: string) =>
      service.http.post('/external/v1/webhooks', token, HOOK, { headers: { 'Idempotency-Key': key } });
    expectStatus(await createWebhook('one'), 201);
    expectProblem(await createWebhook('one'), 409, 'answer_not_kept');
    expect(expectProblem(await createWebhook('two'), 403, 'plan_limit_exceeded').limit).toBe(1);
    await service.app.get(AccountAdminService, { strict: false }).setAccountLimits(ada.accountId, { maxTokens: 2 });
    expectStatus(await createToken(), 201);
  });
});
