import { databaseImage } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { faultsOf } from '../../support/faults';
import { Service } from '../../support/service';

const DAY = 86_400_000;
const ALL_SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
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
  let ada: AccountDevice;
  const create = (extra: object = {}) => {
    const body = { name: 'ci', scopes: ['sessions:read'], ...extra };
    return service.http.post('/v1/account/external-tokens', ada.token, body);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('answers with the record and, this once, the token', async () => {
    const before = Date.now();
    const answer = await create({ name: 'ci', scopes: ['sessions:read', 'profile:read'], expiresInDays: 90 });
    const { data, token, ...rest } = ok(answer, 201);
    expect(rest).toEqual({});
    expect(token).toMatch(/^svc_pat_[0-9A-Za-z]{36}$/);
    expect(data).toEqual({
      id: expect.stringMatching(/^tok_[0-9a-hjkmnp-tv-z]{26}$/),
      object: 'token',
      name: 'ci',
      scopes: ['sessions:read', 'profile:read'],
      prefix: token.slice(0, 12),
      last4: token.slice(-4),
      state: 'active',
      createdAt: expect.any(Number),
      expiresAt: data.createdAt + 90 * DAY,
      lastUsedAt: null,
    });
    expect(data.createdAt).toBeGreaterThanOrEqual(before);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('makes one that never expires when no days are given', async () => {
    for (const extra of [{}, { expiresInDays: null }]) {
      expect(ok(await create(extra), 201).data.expiresAt).toBeNull();
    }
  });

  it.each(['a', 'x'.repeat(100), '💻'.repeat(100), 'CI / main'])('takes the name %j', async (name) => {
    expect(ok(await create({ name }), 201).data.name).toBe(name);
  });

  it.each(['', ' ', 'x'.repeat(101), 'a\u0000b', 'a\nb', 1, true, [], {}, null, undefined])(
    'refuses the name %j',
    async (name) => {
      const answer = await create({ name });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([expect.objectContaining({ in: 'body', path: '/name' })]);
    },
  );

  it('takes every scope there is, the reserved ones too', async () => {
    expect(ok(await create({ scopes: ALL_SCOPES }), 201).data.scopes).toEqual(ALL_SCOPES);
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
  ])('refuses the scopes %j', async (scopes) => {
    const answer = await create({ scopes });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0].path).toMatch(/^\/scopes/);
  });

  it.each([1, 3650])('takes %j days', async (expiresInDays) => {
    const { data } = ok(await create({ expiresInDays }), 201);
    expect(data.expiresAt).toBe(data.createdAt + expiresInDays * DAY);
  });

  it.each([0, -1, 3651, 1.5, '90', true, [90], 1e300])('refuses %j days', async (expiresInDays) => {
    const answer = await create({ expiresInDays });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ in: 'body', path: '/expiresInDays' })]);
  });

  it('names all faults of a request at once and writes nothing', async () => {
    const image = await databaseImage(service);
    const answer = await create({ name: 'x'.repeat(101), scopes: [], expiresInDays: 0, expires: 1 });
    expect(faultsOf(answer)).toEqual([
      ['body', '/expires', 'unknown_field'],
      ['body', '/expiresInDays', 'out_of_range'],
      ['body', '/name', 'out_of_range'],
      ['body', '/scopes', 'out_of_range'],
    ]);
    expect(await databaseImage(service)).toEqual(image);
  });
});
