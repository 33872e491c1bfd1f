import { InstanceRegistry } from '../../../src/core/instances';
import { generateId } from '../../../src/common/ids';
import { queryDatabase, readTableDigests } from '../../support/database';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { Service } from '../../support/service';
import { listViolations } from '../../support/violations';

const PATH = '/v1/account/external-tokens';

describe('a token that is limited to machines', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machineIds: string[];

  const register = async (device: ForeignDevice): Promise<string> =>
    expectStatus(await service.http.post('/v1/machines', device.token, { name: 'box', platform: 'linux' }), 201).data
      .id;
  const create = (ids: unknown) =>
    service.http.post(PATH, ada.token, { name: 'ci', scopes: ['machines:invoke'], machineIds: ids });

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machineIds = [await register(await ada.pairDevice('machine')), await register(await ada.pairDevice('machine'))];
  });
  afterAll(() => service?.stop());

  it('shows its machines wherever it is shown', async () => {
    const { data, token } = expectStatus(await create(machineIds), 201);
    expect(data.machineIds).toEqual(machineIds);
    const get = async (path: string, by = ada.token) => expectStatus(await service.http.get(path, by), 200).data;
    expect((await get('/external/v1/me', token)).token.machineIds).toEqual(machineIds);
    expect((await get(`${PATH}/${data.id}`)).machineIds).toEqual(machineIds);
    expect(await get(PATH)).toContainEqual({ ...data, lastUsedAt: expect.any(Number) });
    const { tokens, auditEvents } = await get('/v1/account/export');
    expect(tokens).toContainEqual(expect.objectContaining({ id: data.id, machineIds }));
    const event = expect.objectContaining({
      act: 'token.created',
      target: { kind: 'token', id: data.id, name: 'ci', machineIds },
    });
    expect(auditEvents).toContainEqual(event);
    expect(await get('/v1/audit-events')).toContainEqual(event);
  });

  it('keeps its machines when it is renamed or rotated', async () => {
    const { data } = expectStatus(await create([machineIds[0]]), 201);
    expectStatus(
      await service.http.request('PATCH', `${PATH}/${data.id}`, { token: ada.token, json: { name: 'x' } }),
      200,
    );
    const rotated = expectStatus(await service.http.post(`${PATH}/${data.id}/rotate`, ada.token, {}), 200);
    expect(rotated.data.machineIds).toEqual([machineIds[0]]);
    const me = expectStatus(await service.http.get('/external/v1/me', rotated.token), 200);
    expect(me.data.token.machineIds).toEqual([machineIds[0]]);
    for (const path of [`${PATH}/${data.id}`, `${PATH}/${data.id}/rotate`]) {
      const method = path.endsWith('rotate') ? 'POST' : 'PATCH';
      const widened = await service.http.request(method, path, { token: ada.token, json: { name: 'x', machineIds } });
      expect(listViolations(widened)).toContainEqual(['body', '/machineIds', 'unknown_field']);
    }
  });

  it('is one for all machines without a list', async () => {
    expect(expectStatus(await create(null), 201).data.machineIds).toBeNull();
    const { token } = await ada.createToken(['usage:read']);
    expect(expectStatus(await service.http.get('/external/v1/me', token), 200).data.token.machineIds).toBeNull();
  });

  it.each([[[]], ['mch_1'], [{}], [[1]], [[null]], [['x'.repeat(65)]]])(
    'is not created with the machines %j',
    async (ids) => {
      const violations = listViolations(await create(ids));
      expect(violations).toHaveLength(1);
      expect(violations[0]![1]).toMatch(/^\/machineIds/);
    },
  );

  it('is not created with a machine twice', async () => {
    expect(listViolations(await create([machineIds[0], machineIds[0]]))).toEqual([
      ['body', '/machineIds', 'not_unique'],
    ]);
  });

  it('is created with machines of the account only, and an error does not tell which others exist', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const foreign = await register(await eve.pairDevice('machine'));
    const image = await readTableDigests(service);
    for (const id of [foreign, 'mch_00000000000000000000000000', 'nonsense', ' ']) {
      const problem = expectProblem(await create([machineIds[0], id, machineIds[1]]), 400, 'invalid_request');
      expect(problem.errors).toEqual([
        {
          in: 'body',
          path: '/machineIds/1',
          code: 'unknown_machine',
          message: '/machineIds/1 is not a machine of this account.',
        },
      ]);
    }
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('is not created while an instance of the previous release runs, which would not know the limit', async () => {
    const running = jest.spyOn(service.app.get(InstanceRegistry, { strict: false }), 'isOlderReleaseRunning', 'get');
    try {
      running.mockReturnValue(true);
      const refused = await create(machineIds);
      expectProblem(refused, 503, 'service_unavailable');
      expect(refused.headers.get('retry-after')).toBe('60');
      expectStatus(await create(null), 201);
    } finally {
      running.mockRestore();
    }
  });

  it('accepts 50 machines and refuses 51', async () => {
    const { http } = service;
    const eve = await ForeignAccountDevice.signUp(http);
    const deviceId = (await eve.pairDevice('machine')).id;
    const ids = Array.from({ length: 51 }, () => generateId('mch'));
    // Pairing so many devices would take long. No machine registers after this.
    await queryDatabase(service, 'ALTER TABLE machines DROP CONSTRAINT machines_device_key');
    await queryDatabase(
      service,
      `INSERT INTO machines (id, account_id, device_id, name, platform, agents, created_at, updated_at)
       SELECT id, $2, $3, 'box', 'linux', '[]', now(), now() FROM unnest($1::text[]) id`,
      [ids, eve.accountId, deviceId],
    );
    const createFor = (machineIds: string[]) =>
      http.post(PATH, eve.token, { name: 'ci', scopes: ['machines:invoke'], machineIds });
    expect(expectStatus(await createFor(ids.slice(1)), 201).data.machineIds).toEqual(ids.slice(1));
    expect(listViolations(await createFor(ids))).toEqual([['body', '/machineIds', 'out_of_range']]);
  });
});
