{{#write}}
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { fetchAllIds } from '../../support/list-pages';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { Service } from '../../support/service';

const DEVICE_PATH = '/v1/{{items-file}}';
const PATH = '/external/v1/{{items-file}}';
const UNKNOWN = '{{prefix}}_00000000000000000000000000';

describe('writes of {{items words}}', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  /** A caller with a token, and a device. */
  let sides: { name: string; path: string; token: string }[];

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    token = (await ada.createToken(['{{scope}}', '{{write scope}}'])).token;
    sides = [
      { name: 'by a token', path: PATH, token },
      { name: 'by a device', path: DEVICE_PATH, token: ada.token },
    ];
  });
  afterAll(() => service?.stop());

  const post = (body: object, key?: string) =>
    service.http.post(PATH, token, body, { headers: key ? { 'Idempotency-Key': key } : {} });
  const create = async (name = 'first') => expectStatus(await post({ name }), 201).data;
  const patch = (path: string, credential: string, json: object) =>
    service.http.request('PATCH', path, { token: credential, json });
  const read = async (id: string) => expectStatus(await service.http.get(`${PATH}/${id}`, token), 200).data;
  const listIds = () => fetchAllIds(service.http, token, PATH);

  it('create, change and delete on both sides, and raise the version', async () => {
    for (const side of sides) {
      const created = expectStatus(await service.http.post(side.path, side.token, { name: side.name }), 201).data;
      expect(created).toMatchObject({ name: side.name, version: 1, updatedAt: created.createdAt });
      service.advanceClock(1_000);
      const path = `${side.path}/${created.id}`;
      const changed = expectStatus(await patch(path, side.token, { name: 'changed', expectedVersion: 1 }), 200).data;
      expect(changed).toEqual({ ...created, name: 'changed', version: 2, updatedAt: changed.updatedAt });
      expect(changed.updatedAt).toBeGreaterThan(created.updatedAt);
      expect(await read(created.id)).toEqual(changed);
      expect((await service.http.delete(path, side.token)).status).toBe(204);
      expectProblem(await patch(path, side.token, { name: 'changed' }), 404, 'not_found');
    }
    expect(await listIds()).toEqual([]);
  });

  it('change nothing if nothing differs', async () => {
    const record = await create();
    service.advanceClock(1_000);
    for (const body of [{}, { name: null }, { name: 'first' }, { expectedVersion: 1 }]) {
      expect(expectStatus(await patch(`${PATH}/${record.id}`, token, body), 200).data).toEqual(record);
    }
  });

  it('replay the response of the first call with an Idempotency-Key', async () => {
    const first = await post({ name: 'first' }, 'key-1');
    const second = await post({ name: 'first' }, 'key-1');
    expect(expectStatus(second, 201)).toEqual(expectStatus(first, 201));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expectProblem(await post({ name: 'second' }, 'key-1'), 422, 'idempotency_key_reused');
    expect(await listIds()).toEqual([first.body.data.id]);
  });

  it('create one record for concurrent calls with an Idempotency-Key', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post({ name: 'first' }, 'key-1')));
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, 409, 'idempotency_in_progress');
    }
    expect(await listIds()).toHaveLength(1);
    expectStatus(await post({ name: 'first' }, 'key-1'), 201);
    expect(await listIds()).toHaveLength(1);
  });

  it('leave the key of a refused call free', async () => {
    expectProblem(await post({ name: '' }, 'key-1'), 400, 'invalid_request');
    expectStatus(await post({ name: 'first' }, 'key-1'), 201);
  });

  it('refuse another version on both sides, and report the current one', async () => {
    const record = await create();
    for (const { path, token: credential } of sides) {
      const answer = await patch(`${path}/${record.id}`, credential, { name: 'late', expectedVersion: 2 });
      expect(expectProblem(answer, 409, 'conflict').current).toBe(1);
    }
    expect(await read(record.id)).toEqual(record);
  });

  it('let one of several concurrent changes of a version win', async () => {
    const { id } = await create();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(
      names.map((name) => patch(`${PATH}/${id}`, token, { name, expectedVersion: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200)!.body.data;
    expect(await read(id)).toEqual(winner);
    expect(winner.version).toBe(2);
  });

  it('require their own scope', async () => {
    const { id } = await create();
    const reader = (await ada.createToken(['{{scope}}'])).token;
    const refusals = [
      await service.http.post(PATH, reader, { name: 'first' }),
      await patch(`${PATH}/${id}`, reader, { name: 'changed' }),
      await service.http.delete(`${PATH}/${id}`, reader),
    ];
    for (const refusal of refusals) {
      expect(expectProblem(refusal, 403, 'insufficient_scope').required).toEqual(['{{write scope}}']);
    }
    const machine = await ada.pairDevice('machine');
    expectProblem(await patch(`${DEVICE_PATH}/${id}`, machine.token, { name: 'changed' }), 403, 'forbidden');
    expect(await listIds()).toEqual([id]);
  });

  it('reach the own account only', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const record = await create();
    const intruder = (await eve.createToken(['{{write scope}}'])).token;
    for (const id of [record.id, UNKNOWN, 'nonsense']) {
      expectProblem(await patch(`${PATH}/${id}`, intruder, { name: 'hers' }), 404, 'not_found');
      expectProblem(await patch(`${DEVICE_PATH}/${id}`, eve.token, { name: 'hers' }), 404, 'not_found');
      expectProblem(await service.http.delete(`${PATH}/${id}`, intruder), 404, 'not_found');
    }
    expect(await read(record.id)).toEqual(record);
  });

  it.each([
    [{ name: '' }, '/name'],
    [{ expectedVersion: 0 }, '/expectedVersion'],
    [{ expectedVersion: 'first' }, '/expectedVersion'],
    [{ color: 'red' }, '/color'],
  ])('refuse the change %j', async (body, path) => {
    const record = await create();
    for (const side of sides) {
      expect(expectViolationPaths(await patch(`${side.path}/${record.id}`, side.token, body))).toEqual([path]);
    }
    expect(await read(record.id)).toEqual(record);
  });
});
{{/write}}
