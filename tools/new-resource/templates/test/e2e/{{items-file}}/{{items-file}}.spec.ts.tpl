import { queryDatabase, waitForAccountCleanup } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { fetchAllIds } from '../../support/list-pages';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { Service } from '../../support/service';

const DEVICE_PATH = '/v1/{{items-file}}';
const PATH = '/external/v1/{{items-file}}';
const UNKNOWN = '{{prefix}}_00000000000000000000000000';

describe('{{items words}}', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    token = (await ada.createToken(['{{scope}}'])).token;
  });
  afterAll(() => service?.stop());

  const create = async (name = 'first', by = ada) =>
    expectStatus(await service.http.post(DEVICE_PATH, by.token, { name }), 201).data;

  it('are created by a device and read by callers and devices', async () => {
    const record = await create();
    expect(record).toEqual({
      id: expect.stringMatching(/^{{prefix}}_[0-9a-hjkmnp-tv-z]{26}$/),
      object: '{{item_name}}',
      name: 'first',
{{#write}}
      version: 1,
{{/write}}
      createdAt: expect.any(Number),
{{#write}}
      updatedAt: record.createdAt,
{{/write}}
    });
    expect(expectStatus(await service.http.get(`${PATH}/${record.id}`, token), 200).data).toEqual(record);
    expect(expectStatus(await service.http.get(`${DEVICE_PATH}/${record.id}`, ada.token), 200).data).toEqual(record);
  });

  it('are listed newest first, page by page, on both sides', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      service.advanceClock(1);
      ids.unshift((await create(name)).id);
    }
    expect(await fetchAllIds(service.http, token, PATH, { limit: 2 })).toEqual(ids);
    expect(await fetchAllIds(service.http, ada.token, DEVICE_PATH, { limit: 2, order: 'asc' })).toEqual(ids.toReversed());
  });

  it('cannot be read after they are deleted', async () => {
    const { id } = await create();
    expect((await service.http.delete(`${DEVICE_PATH}/${id}`, ada.token)).status).toBe(204);
    expectProblem(await service.http.get(`${PATH}/${id}`, token), 404, 'not_found');
    expectProblem(await service.http.delete(`${DEVICE_PATH}/${id}`, ada.token), 404, 'not_found');
    expect(expectStatus(await service.http.get(PATH, token), 200)).toEqual({ data: [], nextCursor: null });
  });

  it('belong to one account', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { id } = await create('hers', eve);
    for (const other of [id, UNKNOWN, 'nonsense']) {
      expectProblem(await service.http.get(`${PATH}/${other}`, token), 404, 'not_found');
      expectProblem(await service.http.delete(`${DEVICE_PATH}/${other}`, ada.token), 404, 'not_found');
    }
    expect(await fetchAllIds(service.http, token, PATH)).toEqual([]);
    expect(await fetchAllIds(service.http, eve.token, DEVICE_PATH)).toEqual([id]);
  });

  it('require their scope, and an account device', async () => {
    const other = await ada.createToken(['{{other scope}}']);
    const refusal = expectProblem(await service.http.get(PATH, other.token), 403, 'insufficient_scope');
    expect(refusal.required).toEqual(['{{scope}}']);
    const machine = await ada.pairDevice('machine');
    expectProblem(await service.http.get(DEVICE_PATH, machine.token), 403, 'forbidden');
    expectProblem(await service.http.post(DEVICE_PATH, machine.token, { name: 'first' }), 403, 'forbidden');
    expectProblem(await service.http.post(DEVICE_PATH, token, { name: 'first' }), 401, 'invalid_token');
  });

  it.each([
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 7 }, '/name'],
    [{ name: 'n'.repeat(201) }, '/name'],
    [{ name: 'first', color: 'red' }, '/color'],
  ])('refuse %j', async (body, path) => {
    expect(expectViolationPaths(await service.http.post(DEVICE_PATH, ada.token, body))).toEqual([path]);
  });

  it('are limited to 1,000 per account under concurrent creation', async () => {
    await queryDatabase(
      service,
      `INSERT INTO {{items_table}} (id, account_id, name, {{#write}}version, updated_at, {{/write}}created_at)
       SELECT '{{prefix}}_' || $1 || n, $1, 'one of many', {{#write}}1, now(), {{/write}}now() FROM generate_series(1, 998) n`,
      [ada.accountId],
    );
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.http.post(DEVICE_PATH, ada.token, { name: 'more' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(expectProblem(refused, 403, 'plan_limit_exceeded').limit).toBe(1_000);
  });

  it('are part of the account’s export and deleted with the account', async () => {
    const record = await create();
    const { data } = expectStatus(await service.http.get('/v1/account/export', ada.token), 200);
    expect(data.{{items}}).toEqual([record]);
    expectStatus(await service.http.delete('/v1/account', ada.token), 204);
    await waitForAccountCleanup(service);
    expect(await queryDatabase(service, 'SELECT 1 FROM {{items_table}} WHERE id = $1', [record.id])).toEqual([]);
  });
});
