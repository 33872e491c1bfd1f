import { queryDatabase, findTablesContaining, waitForAccountCleanup } from '../../../support/database';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../../support/device/foreign-device';
import type { HttpResponse } from '../../../support/http-client';
import { buildListPath, fetchAllIds } from '../../../support/list-pages';
import { expectProblem } from '../../../support/problems';
import { Service } from '../../../support/service';

const APPS_PATH = '/v1/developer/apps';
const CALLBACK_URL = 'https://app.example/callback';

describe('an app', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let machine: ForeignDevice;
  const create = (extra: object = {}, by: ForeignDevice = ada) =>
    service.http.post(APPS_PATH, by.token, { name: 'Notes', redirectUris: [CALLBACK_URL], ...extra });
  const patch = (clientId: string, json: object): Promise<HttpResponse> =>
    service.http.request('PATCH', `${APPS_PATH}/${clientId}`, { token: ada.token, json });
  const get = async (clientId: string) =>
    expectStatus(await service.http.get(`${APPS_PATH}/${clientId}`, ada.token), 200).data;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
  });
  afterAll(() => service?.stop());

  it('returns its record, and its secret only once', async () => {
    const before = Date.now();
    const httpResponse = await create({ description: 'Takes notes.', homepageUrl: 'https://app.example' });
    const { data, clientSecret, ...rest } = expectStatus(httpResponse, 201);
    expect(rest).toEqual({});
    expect(clientSecret).toMatch(/^svc_ocs_[0-9A-Za-z]{36}$/);
    expect(data).toEqual({
      clientId: expect.stringMatching(/^svc_oapp_[0-9A-Za-z]{36}$/),
      object: 'app',
      name: 'Notes',
      description: 'Takes notes.',
      homepageUrl: 'https://app.example',
      redirectUris: [CALLBACK_URL],
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
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(await get(data.clientId)).toEqual(data);
    expect(await findTablesContaining(service, clientSecret)).toEqual([]);
    expect(await findTablesContaining(service, clientSecret.slice(8))).toEqual([]);
  });

  it('shows absent fields as null', async () => {
    const { data } = expectStatus(await create({ homepageUrl: null }), 201);
    expect(data).toMatchObject({ description: null, homepageUrl: null });
  });

  it.each([
    ['a machine', () => machine],
    ['a token', () => null],
  ])('is not registered by %s', async (_, device) => {
    const by = device();
    const token = by ? by.token : (await ada.createToken(['profile:read'])).token;
    const httpResponse = await service.http.post(APPS_PATH, token, {
      name: 'x',
      redirectUris: [CALLBACK_URL],
    });
    if (by) expectProblem(httpResponse, 403, 'forbidden');
    else expect(expectProblem(httpResponse, 401, 'invalid_token').reason).toBe('unknown');
  });

  it('is listed in pages to its owner only', async () => {
    const owner = await ForeignAccountDevice.signUp(service.http);
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(expectStatus(await create({ name: `app ${i}` }, owner), 201).data.clientId);
    const page = expectStatus(await service.http.get(buildListPath(APPS_PATH, { limit: 2 }), owner.token), 200);
    expect(page.data.map((app: any) => app.name)).toEqual(['app 4', 'app 3']);
    expect(page.nextCursor).toEqual(expect.any(String));
    const all: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const next = expectStatus(
        await service.http.get(buildListPath(APPS_PATH, { limit: 2, cursor }), owner.token),
        200,
      );
      all.push(...next.data.map((app: any) => app.clientId));
      cursor = next.nextCursor ?? undefined;
      more = cursor !== undefined;
    }
    expect(all).toEqual(made.reverse());
    expect(await fetchAllIds(service.http, bob.token, APPS_PATH)).toEqual([]);
  });

  it('changes only the given fields', async () => {
    const { data } = expectStatus(await create({ description: 'old', homepageUrl: 'https://old.example/' }), 201);
    service.advanceClock(1_000);
    const changed = expectStatus(await patch(data.clientId, { name: 'New' }), 200).data;
    expect(changed).toEqual({ ...data, name: 'New', updatedAt: expect.any(Number) });
    expect(changed.updatedAt).toBeGreaterThan(data.updatedAt);
    const redirectUris = ['http://127.0.0.1/cb', 'https://app.example/other?x=1'];
    const again = expectStatus(
      await patch(data.clientId, { redirectUris, description: '', homepageUrl: '', name: null }),
      200,
    ).data;
    expect(again).toMatchObject({ name: 'New', description: null, homepageUrl: null, redirectUris });
    expect(await get(data.clientId)).toEqual(again);
  });

  it('is disabled and enabled idempotently', async () => {
    const { clientId } = expectStatus(await create(), 201).data;
    const act = (verb: string) => service.http.post(`${APPS_PATH}/${clientId}/${verb}`, ada.token, {});
    for (const state of ['disabled', 'active']) {
      const verb = state === 'active' ? 'enable' : 'disable';
      service.advanceClock(1_000);
      const changed = expectStatus(await act(verb), 200).data;
      expect(changed).toMatchObject({ clientId, state });
      expect(await get(clientId)).toEqual(changed);
      service.advanceClock(1_000);
      expect(expectStatus(await act(verb), 200).data).toEqual(changed);
      expect(await get(clientId)).toEqual(changed);
    }
  });

  it('is deleted with its secrets', async () => {
    const { clientId } = expectStatus(await create(), 201).data;
    expect((await service.http.delete(`${APPS_PATH}/${clientId}`, ada.token)).status).toBe(204);
    expectProblem(await service.http.get(`${APPS_PATH}/${clientId}`, ada.token), 404, 'not_found');
    expectProblem(await service.http.delete(`${APPS_PATH}/${clientId}`, ada.token), 404, 'not_found');
    expect(await queryDatabase(service, 'SELECT 1 FROM developer_app_secrets WHERE app_id = $1', [clientId])).toEqual(
      [],
    );
  });

  it("that is malformed, unknown or another account's is the same 404", async () => {
    const { clientId } = expectStatus(await create(), 201).data;
    const secret = (await get(clientId)).secrets[0].id;
    for (const id of [clientId, `svc_oapp_${'A'.repeat(36)}`, 'nonsense', '%00']) {
      const at = `${APPS_PATH}/${id}`;
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
      for (const answer of answers) expectProblem(answer, 404, 'not_found');
    }
    expect(await get(clientId)).toMatchObject({ name: 'Notes', state: 'active' });
  });

  it('is limited to twenty, even when they are created concurrently', async () => {
    const owner = await ForeignAccountDevice.signUp(service.http);
    const answers = await Promise.all(Array.from({ length: 23 }, () => create({}, owner)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(3);
    for (const answer of refused) expect(expectProblem(answer, 403, 'plan_limit_exceeded').limit).toBe(20);
    const [first] = await queryDatabase<{ id: string }>(
      service,
      'SELECT id FROM developer_apps WHERE account_id = $1',
      [owner.accountId],
    );
    expect((await service.http.delete(`${APPS_PATH}/${first!.id}`, owner.token)).status).toBe(204);
    expectStatus(await create({}, owner), 201);
  });

  it('is exported with its account, without a secret, and deleted with it', async () => {
    const owner = await ForeignAccountDevice.signUp(service.http);
    const { data, clientSecret } = expectStatus(await create({}, owner), 201);
    const { data: all } = expectStatus(await service.http.get('/v1/account/export', owner.token), 200);
    expect(all.apps).toEqual([data]);
    expect(all.authorizedApps).toEqual([]);
    expect(JSON.stringify(all)).not.toContain(clientSecret);
    expect((await service.http.delete('/v1/account', owner.token)).status).toBe(204);
    await waitForAccountCleanup(service);
    for (const table of ['developer_apps', 'developer_app_secrets']) {
      const column = table === 'developer_apps' ? 'id' : 'app_id';
      expect(await queryDatabase(service, `SELECT 1 FROM ${table} WHERE ${column} = $1`, [data.clientId])).toEqual([]);
    }
  });
});
