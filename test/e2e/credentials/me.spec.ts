import { AccountDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('GET /me', () => {
  let service: Service;
  let ada: AccountDevice;
  const me = async (token: string) => ok(await service.http.get('/external/v1/me', token), 200);

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http, 'ada');
  });
  afterAll(() => service?.stop());

  it('tells a token whose it is, what it may do and how much is left', async () => {
    const { id, token } = await ada.createToken(['usage:read', 'sessions:read'], {
      name: 'ci',
      expiresInDays: 1,
    });
    const record = ok(await service.http.get(`/v1/account/external-tokens/${id}`, ada.token), 200).data;
    const metadata = { limit: 600, remaining: 599, reset: expect.any(Number) };
    expect(await me(token)).toEqual({
      data: {
        account: { id: ada.accountId, username: 'ada', createdAt: null },
        token: {
          id,
          type: 'pat',
          name: 'ci',
          scopes: ['usage:read', 'sessions:read'],
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

  it('needs no scope, and shows when the account was made to profile:read alone', async () => {
    const { data: account } = ok(await service.http.get('/v1/account', ada.token), 200);
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

  it('is not kept by caches for others', async () => {
    const { token } = await ada.createToken(['usage:read']);
    const { headers } = await service.http.get('/external/v1/me', token);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toContain('Authorization');
  });

  it('names the account of the token, not of another with the same scopes', async () => {
    const bob = await AccountDevice.signUp(service.http, 'bob');
    const { token } = await bob.createToken(['profile:read']);
    expect((await me(token)).data.account).toMatchObject({ id: bob.accountId, username: 'bob' });
  });
});
