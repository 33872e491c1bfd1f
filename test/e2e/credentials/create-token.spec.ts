import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import { Service } from '../../support/service';

const DAY = 86_400_000;
const ALL_SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'sessions:approve',
  'machines:read',
  'machines:invoke',
  'machines:invoke:verified',
  'artifacts:read',
  'artifacts:content',
  'artifacts:write',
  'webhooks:manage',
  'usage:read',
  'profile:read',
];

describe('POST /v1/account/external-tokens', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const create = (extra: object = {}) => {
    const body = { name: 'ci', scopes: ['sessions:read'], ...extra };
    return service.http.post('/v1/account/external-tokens', ada.token, body);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('returns the record, and the token only once', async () => {
    const before = Date.now();
    const httpResponse = await create({
      name: 'ci',
      scopes: ['sessions:read', 'profile:read'],
      expiresInDays: 90,
    });
    const { data, token, ...rest } = expectStatus(httpResponse, 201);
    expect(rest).toEqual({});
    expect(token).toMatch(/^svc_pat_[0-9A-Za-z]{36}$/);
    expect(data).toEqual({
      id: expect.stringMatching(/^tok_[0-9a-hjkmnp-tv-z]{26}$/),
      object: 'token',
      name: 'ci',
      scopes: ['sessions:read', 'profile:read'],
      machineIds: null,
      prefix: token.slice(0, 12),
      last4: token.slice(-4),
      state: 'active',
      createdAt: expect.any(Number),
      expiresAt: data.createdAt + 90 * DAY,
      lastUsedAt: null,
    });
    expect(data.createdAt).toBeGreaterThanOrEqual(before);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
  });

  it('creates a token without expiry without expiresInDays', async () => {
    for (const extra of [{}, { expiresInDays: null }]) {
      expect(expectStatus(await create(extra), 201).data.expiresAt).toBeNull();
    }
  });

  it.each(['a', 'x'.repeat(100), '💻'.repeat(100), 'CI / main'])('accepts the name %j', async (name) => {
    expect(expectStatus(await create({ name }), 201).data.name).toBe(name);
  });

  it.each(['', ' ', 'x'.repeat(101), 'a\u0000b', 'a\nb', 1, true, [], {}, null, undefined])(
    'rejects the name %j',
    async (name) => {
      const httpResponse = await create({ name });
      expect(httpResponse.status).toBe(400);
      expect(httpResponse.body.errors).toEqual([expect.objectContaining({ in: 'body', path: '/name' })]);
    },
  );

  it('accepts all scopes, including reserved ones', async () => {
    expect(expectStatus(await create({ scopes: ALL_SCOPES }), 201).data.scopes).toEqual(ALL_SCOPES);
  });

  it.each([
    [[]],
    [['sessions:delete']],
    [['sessions:read', 'sessions:read']],
    [['sessions:read', 1]],
    [['sessions:read', null]],
    [[['sessions:read']]],
    ['sessions:read'],
    [{ 0: 'sessions:read' }],
    [['SESSIONS:READ']],
    [['*']],
    [['constructor']],
    [null],
    [undefined],
  ])('rejects the scopes %j', async (scopes) => {
    const httpResponse = await create({ scopes });
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.errors).toHaveLength(1);
    expect(httpResponse.body.errors[0].path).toMatch(/^\/scopes/);
  });

  it.each([1, 3650])('accepts %j days', async (expiresInDays) => {
    const { data } = expectStatus(await create({ expiresInDays }), 201);
    expect(data.expiresAt).toBe(data.createdAt + expiresInDays * DAY);
  });

  it.each([0, -1, 3651, 1.5, '90', true, [90], 1e300])('rejects %j days', async (expiresInDays) => {
    const httpResponse = await create({ expiresInDays });
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.errors).toEqual([expect.objectContaining({ in: 'body', path: '/expiresInDays' })]);
  });

  it('reports all violations of a request and stores nothing', async () => {
    const image = await readTableDigests(service);
    const httpResponse = await create({ name: 'x'.repeat(101), scopes: [], expiresInDays: 0, expires: 1 });
    expect(listViolations(httpResponse)).toEqual([
      ['body', '/expires', 'unknown_field'],
      ['body', '/expiresInDays', 'out_of_range'],
      ['body', '/name', 'out_of_range'],
      ['body', '/scopes', 'out_of_range'],
    ]);
    expect(await readTableDigests(service)).toEqual(image);
  });
});
