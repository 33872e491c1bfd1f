import { query } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { walk } from '../../support/pages';
import { faultPaths, problem } from '../../support/problems';
import { Service } from '../../support/service';

const KEPT = '/v1/{{items-file}}';
const SHOWN = '/external/v1/{{items-file}}';
const UNKNOWN = '{{prefix}}_00000000000000000000000000';

describe('{{items words}}', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    token = (await ada.createToken(['{{scope}}'])).token;
  });
  afterAll(() => service?.stop());

  const create = async (name = 'first', by = ada) =>
    ok(await service.http.post(KEPT, by.token, { name }), 201).data;

  it('are created by a device, and read as callers and devices read them', async () => {
    const record = await create();
    expect(record).toEqual({
      id: expect.stringMatching(/^{{prefix}}_[0-9a-hjkmnp-tv-z]{26}$/),
      object: '{{item_name}}',
      name: 'first',
      createdAt: expect.any(Number),
    });
    expect(ok(await service.http.get(`${SHOWN}/${record.id}`, token), 200).data).toEqual(record);
    expect(ok(await service.http.get(`${KEPT}/${record.id}`, ada.token), 200).data).toEqual(record);
  });

  it('are listed newest first, page by page, on both sides', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      service.advance(1);
      ids.unshift((await create(name)).id);
    }
    expect(await walk(service.http, token, SHOWN, { limit: 2 })).toEqual(ids);
    expect(await walk(service.http, ada.token, KEPT, { limit: 2, order: 'asc' })).toEqual(ids.toReversed());
  });

  it('are gone once they are deleted', async () => {
    const { id } = await create();
    expect((await service.http.delete(`${KEPT}/${id}`, ada.token)).status).toBe(204);
    problem(await service.http.get(`${SHOWN}/${id}`, token), 404, 'not_found');
    problem(await service.http.delete(`${KEPT}/${id}`, ada.token), 404, 'not_found');
    expect(ok(await service.http.get(SHOWN, token), 200)).toEqual({ data: [], nextCursor: null });
  });

  it('are their account’s alone', async () => {
    const eve = await AccountDevice.signUp(service.http);
    const { id } = await create('hers', eve);
    for (const other of [id, UNKNOWN, 'nonsense']) {
      problem(await service.http.get(`${SHOWN}/${other}`, token), 404, 'not_found');
      problem(await service.http.delete(`${KEPT}/${other}`, ada.token), 404, 'not_found');
    }
    expect(await walk(service.http, token, SHOWN)).toEqual([]);
    expect(await walk(service.http, eve.token, KEPT)).toEqual([id]);
  });

  it('ask for their scope, and for an account device', async () => {
    const other = await ada.createToken(['{{other scope}}']);
    const refusal = problem(await service.http.get(SHOWN, other.token), 403, 'insufficient_scope');
    expect(refusal.required).toEqual(['{{scope}}']);
    const machine = await ada.adopt('machine');
    problem(await service.http.get(KEPT, machine.token), 403, 'forbidden');
    problem(await service.http.post(KEPT, machine.token, { name: 'first' }), 403, 'forbidden');
    problem(await service.http.post(KEPT, token, { name: 'first' }), 401, 'invalid_token');
  });

  it.each([
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 7 }, '/name'],
    [{ name: 'n'.repeat(201) }, '/name'],
    [{ name: 'first', color: 'red' }, '/color'],
  ])('refuse %j', async (body, fault) => {
    expect(faultPaths(await service.http.post(KEPT, ada.token, body))).toEqual([fault]);
  });

  it('are at most 1,000 in an account, also when several come at once', async () => {
    await query(
      service,
      `INSERT INTO {{items_table}} (id, account_id, name, created_at)
       SELECT '{{prefix}}_' || $1 || n, $1, 'one of many', now() FROM generate_series(1, 998) n`,
      [ada.accountId],
    );
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.http.post(KEPT, ada.token, { name: 'more' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(problem(refused, 403, 'plan_limit_exceeded').limit).toBe(1_000);
  });

  it('stand in the account’s export, and go with the account', async () => {
    const record = await create();
    const { data } = ok(await service.http.get('/v1/account/export', ada.token), 200);
    expect(data.{{items}}).toEqual([record]);
    ok(await service.http.delete('/v1/account', ada.token), 204);
    expect(await query(service, 'SELECT 1 FROM {{items_table}} WHERE id = $1', [record.id])).toEqual([]);
  });
});
