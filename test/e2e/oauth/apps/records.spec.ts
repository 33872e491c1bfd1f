import { query, tablesHolding } from '../../../support/database';
import { AccountDevice, ForeignDevice, ok } from '../../../support/device/foreign-device';
import type { Answer } from '../../../support/http-client';
import { listPath, walk } from '../../../support/pages';
import { problem } from '../../../support/problems';
import { Service } from '../../../support/service';

const APPS = '/v1/developer/apps';
const CALLBACK = 'https://app.example/callback';

describe('an app', () => {
  let service: Service;
  let ada: AccountDevice;
  let bob: AccountDevice;
  let machine: ForeignDevice;
  const create = (extra: object = {}, by: ForeignDevice = ada) =>
    service.http.post(APPS, by.token, { name: 'Notes', redirectUris: [CALLBACK], ...extra });
  const patch = (clientId: string, json: object): Promise<Answer> =>
    service.http.request('PATCH', `${APPS}/${clientId}`, { token: ada.token, json });
  const get = async (clientId: string) => ok(await service.http.get(`${APPS}/${clientId}`, ada.token), 200).data;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    bob = await AccountDevice.signUp(service.http);
    machine = await ada.adopt('machine');
  });
  afterAll(() => service?.stop());

  it('is answered with its record and, this once, its secret', async () => {
    const before = Date.now();
    const answer = await create({ description: 'Takes notes.', homepageUrl: 'https://app.example' });
    const { data, clientSecret, ...rest } = ok(answer, 201);
    expect(rest).toEqual({});
    expect(clientSecret).toMatch(/^svc_ocs_[0-9A-Za-z]{36}$/);
    expect(data).toEqual({
      clientId: expect.stringMatching(/^svc_oapp_[0-9A-Za-z]{36}$/),
      object: 'app',
      name: 'Notes',
      description: 'Takes notes.',
      homepageUrl: 'https://app.example',
      redirectUris: [CALLBACK],
      state: 'active',
      secrets: [
        {
          id: expect.stringMatching(/^sec_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
          last4: clientSecret.slice(-4),
          createdAt: data.createdAt,
          expiresAt: null,
          lastUsedAt: null,
        },
      ],
      activeUsers: 0,
      createdAt: expect.any(Number),
      updatedAt: data.createdAt,
    });
    expect(data.createdAt).toBeGreaterThanOrEqual(before);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await get(data.clientId)).toEqual(data);
    expect(await tablesHolding(service, clientSecret)).toEqual([]);
    expect(await tablesHolding(service, clientSecret.slice(8))).toEqual([]);
  });

  it('shows what was left out as null', async () => {
    const { data } = ok(await create({ homepageUrl: null }), 201);
    expect(data).toMatchObject({ description: null, homepageUrl: null });
  });

  it.each([
    ['a machine', () => machine],
    ['a token', () => null],
  ])('is not registered by %s', async (_, device) => {
    const by = device();
    const token = by ? by.token : (await ada.createToken(['profile:read'])).token;
    const answer = await service.http.post(APPS, token, { name: 'x', redirectUris: [CALLBACK] });
    if (by) problem(answer, 403, 'forbidden');
    else expect(problem(answer, 401, 'invalid_token').reason).toBe('unknown');
  });

  it('is listed a page at a time, to its owner alone', async () => {
    const owner = await AccountDevice.signUp(service.http);
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(ok(await create({ name: `app ${i}` }, owner), 201).data.clientId);
    const page = ok(await service.http.get(listPath(APPS, { limit: 2 }), owner.token), 200);
    expect(page.data.map((app: any) => app.name)).toEqual(['app 4', 'app 3']);
    expect(page.nextCursor).toEqual(expect.any(String));
    const all: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const next = ok(await service.http.get(listPath(APPS, { limit: 2, cursor }), owner.token), 200);
      all.push(...next.data.map((app: any) => app.clientId));
      cursor = next.nextCursor ?? undefined;
      more = cursor !== undefined;
    }
    expect(all).toEqual(made.reverse());
    expect(await walk(service.http, bob.token, APPS)).toEqual([]);
  });

  it('changes in what is given, and in nothing else', async () => {
    const { data } = ok(await create({ description: 'old', homepageUrl: 'https://old.example/' }), 201);
    service.advance(1_000);
    const changed = ok(await patch(data.clientId, { name: 'New' }), 200).data;
    expect(changed).toEqual({ ...data, name: 'New', updatedAt: expect.any(Number) });
    expect(changed.updatedAt).toBeGreaterThan(data.updatedAt);
    const redirectUris = ['http://127.0.0.1/cb', 'https://app.example/other?x=1'];
    const again = ok(
      await patch(data.clientId, { redirectUris, description: '', homepageUrl: '', name: null }),
      200,
    ).data;
    expect(again).toMatchObject({ name: 'New', description: null, homepageUrl: null, redirectUris });
    expect(await get(data.clientId)).toEqual(again);
  });

  it('is disabled and enabled, twice as well as once', async () => {
    const { clientId } = ok(await create(), 201).data;
    const act = (verb: string) => service.http.post(`${APPS}/${clientId}/${verb}`, ada.token, {});
    for (const state of ['disabled', 'disabled', 'active', 'active']) {
      const verb = state === 'active' ? 'enable' : 'disable';
      expect(ok(await act(verb), 200).data).toMatchObject({ clientId, state });
      expect((await get(clientId)).state).toBe(state);
    }
  });

  it('is gone when it is deleted, with its secrets', async () => {
    const { clientId } = ok(await create(), 201).data;
    expect((await service.http.delete(`${APPS}/${clientId}`, ada.token)).status).toBe(204);
    problem(await service.http.get(`${APPS}/${clientId}`, ada.token), 404, 'not_found');
    problem(await service.http.delete(`${APPS}/${clientId}`, ada.token), 404, 'not_found');
    expect(await query(service, 'SELECT 1 FROM developer_app_secrets WHERE app_id = $1', [clientId])).toEqual([]);
  });

  it("that is malformed, unknown or another account's is the same 404", async () => {
    const { clientId } = ok(await create(), 201).data;
    const secret = (await get(clientId)).secrets[0].id;
    for (const id of [clientId, `svc_oapp_${'A'.repeat(36)}`, 'nonsense', '%00']) {
      const at = `${APPS}/${id}`;
      const answers = [
        await service.http.get(at, bob.token),
        await service.http.request('PATCH', at, { token: bob.token, json: { name: 'stolen' } }),
        await service.http.delete(at, bob.token),
        await service.http.post(`${at}/secrets`, bob.token, {}),
        await service.http.delete(`${at}/secrets/${secret}`, bob.token),
        await service.http.post(`${at}/disable`, bob.token, {}),
        await service.http.post(`${at}/enable`, bob.token, {}),
        await service.http.post(`${at}/revoke-all`, bob.token, {}),
      ];
      for (const answer of answers) problem(answer, 404, 'not_found');
    }
    expect(await get(clientId)).toMatchObject({ name: 'Notes', state: 'active' });
  });

  it('is the twentieth at most, also when they are made at once', async () => {
    const owner = await AccountDevice.signUp(service.http);
    const answers = await Promise.all(Array.from({ length: 23 }, () => create({}, owner)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(3);
    for (const answer of refused) expect(problem(answer, 403, 'plan_limit_exceeded').limit).toBe(20);
    const [first] = await query<{ id: string }>(service, 'SELECT id FROM developer_apps WHERE account_id = $1', [
      owner.accountId,
    ]);
    expect((await service.http.delete(`${APPS}/${first!.id}`, owner.token)).status).toBe(204);
    ok(await create({}, owner), 201);
  });

  it('is exported with its account, without a secret, and deleted with it', async () => {
    const owner = await AccountDevice.signUp(service.http);
    const { data, clientSecret } = ok(await create({}, owner), 201);
    const { data: all } = ok(await service.http.get('/v1/account/export', owner.token), 200);
    expect(all.apps).toEqual([data]);
    expect(all.authorizedApps).toEqual([]);
    expect(JSON.stringify(all)).not.toContain(clientSecret);
    expect((await service.http.delete('/v1/account', owner.token)).status).toBe(204);
    for (const table of ['developer_apps', 'developer_app_secrets']) {
      const column = table === 'developer_apps' ? 'id' : 'app_id';
      expect(await query(service, `SELECT 1 FROM ${table} WHERE ${column} = $1`, [data.clientId])).toEqual([]);
    }
  });
});
