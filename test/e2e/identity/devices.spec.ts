import { MINUTE } from '../../../src/common/clock';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import { computeForeignFingerprint } from '../../support/device/fingerprint';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

interface DeviceRecord {
  id: string;
  name: string;
  state: string;
}

describe('/v1/devices', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const list = async (token: string) => expectStatus(await service.http.get('/v1/devices', token), 200);
  const revoke = (id: string, token = ada.token) => service.http.delete(`/v1/devices/${id}`, token);

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('lists only the account’s devices, newest first', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const machine = await bob.pairDevice('machine', 'build box');
    const { data, nextCursor } = await list(bob.token);
    expect(nextCursor).toBeNull();
    expect(data.map((device: DeviceRecord) => device.id)).toEqual([machine.id, bob.id]);
    expect(data[0]).toEqual({
      id: machine.id,
      object: 'device',
      kind: 'machine',
      name: 'build box',
      platform: 'linux',
      state: 'offline',
      fingerprint: computeForeignFingerprint(machine.keys.publicKey, machine.keys.encryptionKey),
      createdAt: expect.any(Number),
      lastSeenAt: expect.any(Number),
    });
  });

  it('lists pages by cursor', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    for (const name of ['one', 'two', 'three']) await bob.pairDevice('machine', name);
    const first = expectStatus(await service.http.get('/v1/devices?limit=3', bob.token), 200);
    const rest = expectStatus(await service.http.get(`/v1/devices?limit=3&cursor=${first.nextCursor}`, bob.token), 200);
    expect([...first.data, ...rest.data].map((device: DeviceRecord) => device.name)).toEqual([
      'three',
      'two',
      'one',
      'first device',
    ]);
    expect(rest.nextCursor).toBeNull();
    const foreign = await service.http.get(`/v1/devices?cursor=${first.nextCursor}`, ada.token);
    expect(foreign.body.code).toBe('invalid_cursor');
  });

  it('updates when the device was last seen with its calls, at most once a minute', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const readLastSeen = async (): Promise<number> => (await list(bob.token)).data[0].lastSeenAt;
    const signedUpAt = await readLastSeen();
    service.advanceClock(2 * MINUTE);
    await readLastSeen();
    await waitFor(async () => expect(await readLastSeen()).toBeGreaterThanOrEqual(signedUpAt + 2 * MINUTE));
    const calledAt = await readLastSeen();
    service.advanceClock(MINUTE / 2);
    const answers = await Promise.all(Array.from({ length: 20 }, readLastSeen));
    expect(new Set([...answers, await readLastSeen()])).toEqual(new Set([calledAt]));
  });

  it('renames a device, for account devices of its account only', async () => {
    const machine = await ada.pairDevice('machine', 'old name');
    const bob = await ForeignAccountDevice.signUp(service.http);
    const rename = (name: unknown, token = ada.token, id = machine.id) =>
      service.http.request('PATCH', `/v1/devices/${id}`, { token, json: { name } });
    expect(expectStatus(await rename('new name'), 200).data).toMatchObject({ id: machine.id, name: 'new name' });
    for (const name of ['', ' ', 'x'.repeat(101), 'in\u200bvisible', 1, null]) {
      expect([name, (await rename(name)).status]).toEqual([name, 400]);
    }
    expect((await rename('stolen', bob.token)).status).toBe(404);
    expect((await rename('lost', ada.token, 'nonsense')).status).toBe(404);
    expect((await rename('own', machine.token)).status).toBe(403);
    const { data } = await list(ada.token);
    expect(data.find(({ id }: DeviceRecord) => id === machine.id).name).toBe('new name');
  });

  it('renames the machine of a device, which a registration doesn’t change back', async () => {
    const machine = await ada.pairDevice('machine', 'host-1');
    const registration = { name: 'host-1', platform: 'linux' };
    const { id } = expectStatus(await service.http.post('/v1/machines', machine.token, registration), 201).data;
    const readMachine = async () => expectStatus(await service.http.get(`/v1/control/machines/${id}`, ada.token), 200);
    const renamed = { token: ada.token, json: { name: 'Build server' } };
    expectStatus(await service.http.request('PATCH', `/v1/devices/${machine.id}`, renamed), 200);
    const { data } = await readMachine();
    expect(data.name).toBe('Build server');
    expect(data.updatedAt).toBeGreaterThan(data.createdAt);
    const again = { ...registration, name: 'host-2', platform: 'darwin' };
    expect(expectStatus(await service.http.post('/v1/machines', machine.token, again), 200).data).toMatchObject({
      id,
      name: 'Build server',
      platform: 'darwin',
    });
    expect((await readMachine()).data.name).toBe('Build server');
    const machines = expectStatus(await service.http.get('/v1/control/machines', ada.token), 200).data;
    expect(machines.find((each: { id: string }) => each.id === id).name).toBe('Build server');
  });

  it('ends the tokens of a revoked device at once and its socket within a second', async () => {
    const machine = await ada.pairDevice('machine');
    const socket = await DeviceSocket.connect(service.url, machine.token);
    expectStatus(await revoke(machine.id), 204);
    const started = Date.now();
    const httpResponse = await service.http.get('/v1/sessions', machine.token);
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body).toMatchObject({ code: 'invalid_token', reason: 'revoked' });
    await socket.disconnected;
    expect(Date.now() - started).toBeLessThan(1_500);
    const { data } = await list(ada.token);
    expect(data.find((device: DeviceRecord) => device.id === machine.id).state).toBe('revoked');
  });

  it('ends every token of the device', async () => {
    const machine = await ada.pairDevice('machine');
    const first = machine.token;
    await machine.signIn();
    expectStatus(await revoke(machine.id), 204);
    for (const token of [first, machine.token]) {
      expect((await service.http.get('/v1/sessions', token)).body.reason).toBe('revoked');
    }
  });

  it('returns 204 again for a revoked device', async () => {
    const machine = await ada.pairDevice('machine');
    expectStatus(await revoke(machine.id), 204);
    expectStatus(await revoke(machine.id), 204);
  });

  it('keeps the last account device, regardless of machines and revoked devices', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    await bob.pairDevice('machine');
    const laptop = await bob.pairDevice('account');
    expectStatus(await revoke(laptop.id, bob.token), 204);
    const httpResponse = await revoke(bob.id, bob.token);
    expect(httpResponse.status).toBe(409);
    expect(httpResponse.body.code).toBe('conflict');
    expectStatus(await service.http.get('/v1/account', bob.token), 200);
  });

  it('keeps one of two account devices that revoke each other concurrently', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const laptop = await bob.pairDevice('account');
    const answers = await Promise.all([revoke(laptop.id, bob.token), revoke(bob.id, laptop.token)]);
    expect(answers.filter((answer) => answer.status === 204)).toHaveLength(1);
    const left = answers[0].status === 204 ? bob : laptop;
    expectStatus(await service.http.get('/v1/account', left.token), 200);
  });

  it('lets a device revoke itself while another account device remains', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const laptop: ForeignDevice = await bob.pairDevice('account');
    expectStatus(await revoke(laptop.id, laptop.token), 204);
    expect((await service.http.get('/v1/account', laptop.token)).body.reason).toBe('revoked');
  });

  it('returns the same 404 for another account’s device, an unknown and a malformed id', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const answers = [];
    for (const id of [bob.id, 'dev_00000000000000000000000000', 'nonsense', '%00', `${ada.id}%00`]) {
      answers.push(await revoke(id));
    }
    const { requestId: _, ...first } = answers[0]!.body;
    expect(first).toMatchObject({ status: 404, code: 'not_found' });
    for (const { body } of answers) expect(body).toMatchObject(first);
    expectStatus(await service.http.get('/v1/account', bob.token), 200);
  });
});
