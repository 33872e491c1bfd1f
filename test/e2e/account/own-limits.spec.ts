import { AccountControl, type AccountLimits } from '../../../src/accounts';
import { ConsoleVisitor } from '../../support/console-visitor';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { eventually } from '../../support/eventually';
import type { Answer } from '../../support/http-client';
import { problem } from '../../support/problems';
import { Service } from '../../support/service';

const HOOK = { url: 'https://receiver.example/hook', events: ['*'] };

describe('an account with limits of its own', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    token = (await ada.createToken(['machines:invoke', 'webhooks:manage'])).token;
  });
  afterAll(() => service?.stop());

  const limit = (changes: Partial<Record<keyof AccountLimits, number | null>>) =>
    service.app.get(AccountControl, { strict: false }).setLimits(ada.accountId, changes);
  const me = (by = token) => service.http.get('/external/v1/me', by);
  const invoke = () =>
    service.http.post('/external/v1/machines/mch_00000000000000000000000000/invoke', token, { command: 'x' });
  const showsLimit = (call: () => Promise<Answer>, expected: number) =>
    eventually(async () => {
      const answer = await call();
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(expected));
      return answer;
    }, 1_000);

  /** As old as the look-up of the token, at most. */
  const showsPlan = (expected: object) =>
    eventually(async () => {
      const { plan } = ok(await me(), 200).data;
      expect(plan).toMatchObject(expected);
      return plan as object;
    }, 1_000);

  it('shows them as its plan, on both sides, and the configuration’s again once they are taken back', async () => {
    await limit({ maxTokens: 3, relayPerMinute: 7 });
    await limit({ maxTokens: null, maxWebhooks: 1 });
    const own = { maxTokens: 50, relayPerMinute: 7, maxWebhooks: 1, metadataPerMinute: 600 };
    const plan = await showsPlan({ name: 'custom', limits: own });
    expect(ok(await service.http.get('/v1/account', ada.token), 200).data.plan).toEqual(plan);
    await limit({ relayPerMinute: null, maxWebhooks: null });
    await showsPlan({ name: 'standard', limits: { relayPerMinute: 60, maxWebhooks: 20 } });
  });

  it('has the rate of them: fewer calls at once, also in a window that has begun', async () => {
    await limit({ metadataPerMinute: 5 });
    const fifth = await (async () => {
      await showsLimit(me, 5);
      let answer = await me();
      while (answer.status === 200) answer = await me();
      return answer;
    })();
    expect(problem(fifth, 429, 'rate_limited').detail).toContain('takes 5 calls');
    await limit({ metadataPerMinute: 1_000 });
    const { body, headers } = await showsLimit(me, 1_000);
    expect(headers.get('ratelimit-policy')).toBe('"metadata";q=1000;w=60');
    expect(body.meta.rateLimit.limit).toBe(1_000);
  });

  it('has the rate of relayed calls, which /me shows without drawing on it', async () => {
    await limit({ relayPerMinute: 2 });
    await showsLimit(invoke, 2);
    const refused = await eventually(async () => {
      const answer = await invoke();
      expect(answer.status).toBe(429);
      return answer;
    });
    expect(refused.body.bucket).toBe('relay');
    expect(ok(await me(), 200).meta.rateLimits.relay).toMatchObject({ limit: 2, remaining: 0 });
  });

  it('sees them on the console’s page of usage', async () => {
    await limit({ relayPerMinute: 4321 });
    const visitor = await ConsoleVisitor.signIn(service.url, ada);
    expect((await visitor.get('/console/usage')).html).toMatch(/4,?321/);
  });

  it('is alone with them', async () => {
    await limit({ metadataPerMinute: 5 });
    const eve = await AccountDevice.signUp(service.http);
    const hers = (await eve.createToken(['usage:read'])).token;
    expect((await me(hers)).headers.get('x-ratelimit-limit')).toBe('600');
  });

  it.each<[keyof AccountLimits, () => Promise<Answer>]>([
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
  ])('has no more than %s', async (name, create) => {
    const there = name === 'maxTokens' ? 1 : 0;
    await limit({ [name]: there + 1 });
    expect((await create()).status).toBe(201);
    expect(problem(await create(), 403, 'plan_limit_exceeded').limit).toBe(there + 1);
    await limit({ [name]: there + 2 });
    expect((await create()).status).toBe(201);
  });

  it('stores no more than maxStorageBytes', async () => {
    const session = await KeptSession.open(ada);
    await limit({ maxStorageBytes: 100 });
    const refused = await session.post([session.message('too-much')]);
    expect(problem(refused, 403, 'plan_limit_exceeded').limit).toBe(100);
    await limit({ maxStorageBytes: 100_000 });
    ok(await session.post([session.message('enough')]), 201);
  });
});
