import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('GET /me', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const me = async (token: string) => expectStatus(await service.http.get('/external/v1/me', token), 200);

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http, 'ada');
  });
  afterAll(() => service?.stop());

  it('returns the account, scopes and remaining calls of a token', async () => {
    const { id, token } = await ada.createToken(['usage:read', 'sessions:read'], {
      name: 'ci',
      expiresInDays: 1,
    });
    const record = expectStatus(await service.http.get(`/v1/account/external-tokens/${id}`, ada.token), 200).data;
    const metadata = { limit: 600, remaining: 599, reset: expect.any(Number) };
    expect(await me(token)).toEqual({
      data: {
        account: { id: ada.accountId, username: 'ada', createdAt: null },
        token: {
          id,
          type: 'pat',
          name: 'ci',
          scopes: ['usage:read', 'sessions:read'],
          machineIds: null,
          createdAt: record.createdAt,
          expiresAt: record.expiresAt,
          lastUsedAt: null,
          appId: null,
        },
        plan: {
          name: 'standard',
          limits: {
            metadataPerMinute: 600,
            relayPerMinute: 60,
            maxPageSize: 200,
            maxRelayWaitMs: 30_000,
            maxInvokeTimeoutMs: 28_000,
            maxTokens: 50,
            maxApps: 20,
            maxWebhooks: 20,
            maxRequestBytes: 1_048_576,
            maxStorageBytes: 1_073_741_824,
            maxEventBytesPerDay: 536_870_912,
            maxKeptAnswerBytes: 268_435_456,
            maxDevices: 1_000,
            maxKeyGrants: 10_000,
          },
        },
        deprecations: [],
      },
      meta: {
        rateLimit: metadata,
        rateLimits: { metadata, relay: { limit: 60, remaining: 60, reset: 60 } },
      },
    });
  });

  it('requires no scope, and returns the account’s creation time only with profile:read', async () => {
    const { data: account } = expectStatus(await service.http.get('/v1/account', ada.token), 200);
    const plain = await ada.createToken(['machines:invoke:verified']);
    expect((await me(plain.token)).data.account).toEqual({
      id: ada.accountId,
      username: 'ada',
      createdAt: null,
    });
    const profile = await ada.createToken(['profile:read']);
    expect((await me(profile.token)).data.account).toEqual({
      id: ada.accountId,
      username: 'ada',
      createdAt: account.createdAt,
    });
  });

  it('returns 304 with rate limit headers while only the buckets have changed', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const { token } = await bob.createToken(['usage:read']);
    const first = await service.http.get('/external/v1/me', token);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    const again = (headers: Record<string, string>) => service.http.get('/external/v1/me', token, { headers });
    for (const remaining of ['598', '597']) {
      // The token's last use has been recorded by then.
      service.advanceClock(2_000);
      const same = await again({ 'If-None-Match': etag });
      expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, null, etag]);
      expect(same.headers.get('x-ratelimit-remaining')).toBe(remaining);
    }
    expect((await again({ 'If-None-Match': 'W/"other"' })).status).toBe(200);
    const other = await bob.createToken(['usage:read']);
    expect((await service.http.get('/external/v1/me', other.token)).headers.get('etag')).not.toBe(etag);
  });

  it('is not cached for other callers', async () => {
    const { token } = await ada.createToken(['usage:read']);
    const { headers } = await service.http.get('/external/v1/me', token);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toContain('Authorization');
  });

  it('returns the token’s account, not another one with the same scopes', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http, 'bob');
    const { token } = await bob.createToken(['profile:read']);
    expect((await me(token)).data.account).toMatchObject({ id: bob.accountId, username: 'bob' });
  });
});
