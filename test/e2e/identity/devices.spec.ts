import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import { fingerprintOf } from '../../support/device/fingerprint';
import { Service } from '../../support/service';

interface DeviceRecord {
  id: string;
  name: string;
  state: string;
}

describe('/v1/devices', () => {
  let service: Service;
  let ada: AccountDevice;
  const list = async (token: string) => ok(await service.http.get('/v1/devices', token), 200);
  const revoke = (id: string, token = ada.token) => service.http.delete(`/v1/devices/${id}`, token);

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('lists the account’s devices, newest first, and nobody else’s', async () => {
    const bob = await AccountDevice.signUp(service.http);
    const machine = await bob.adopt('machine', 'build box');
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
      fingerprint: fingerprintOf(machine.keys.publicKey, machine.keys.encryptionKey),
      createdAt: expect.any(Number),
      lastSeenAt: expect.any(Number),
    });
  });

  it('lists pages by cursor', async () => {
    const bob = await AccountDevice.signUp(service.http);
    for (const name of ['one', 'two', 'three']) await bob.adopt('machine', name);
    const first = ok(await service.http.get('/v1/devices?limit=3', bob.token), 200);
    const rest = ok(await service.http.get(`/v1/devices?limit=3&cursor=${first.nextCursor}`, bob.token), 200);
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

  it('ends a revoked device’s token at once, and its socket within a second', async () => {
    const machine = await ada.adopt('machine');
    const socket = await DeviceSocket.connect(service.url, machine.token);
    ok(await revoke(machine.id), 204);
    const started = Date.now();
    const answer = await service.http.get('/v1/sessions', machine.token);
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ code: 'invalid_token', reason: 'revoked' });
    await socket.disconnected;
    expect(Date.now() - started).toBeLessThan(1_500);
    const { data } = await list(ada.token);
    expect(data.find((device: DeviceRecord) => device.id === machine.id).state).toBe('revoked');
  });

  it('ends every token of the device', async () => {
    const machine = await ada.adopt('machine');
    const first = machine.token;
    await machine.signIn();
    ok(await revoke(machine.id), 204);
    for (const token of [first, machine.token]) {
      expect((await service.http.get('/v1/sessions', token)).body.reason).toBe('revoked');
    }
  });

  it('does not revoke twice, and says 204 again', async () => {
    const machine = await ada.adopt('machine');
    ok(await revoke(machine.id), 204);
    ok(await revoke(machine.id), 204);
  });

  it('keeps the last account device, whatever machines and revoked ones there are', async () => {
    const bob = await AccountDevice.signUp(service.http);
    await bob.adopt('machine');
    const laptop = await bob.adopt('account');
    ok(await revoke(laptop.id, bob.token), 204);
    const answer = await revoke(bob.id, bob.token);
    expect(answer.status).toBe(409);
    expect(answer.body.code).toBe('conflict');
    ok(await service.http.get('/v1/account', bob.token), 200);
  });

  it('keeps one of two account devices that revoke each other at once', async () => {
    const bob = await AccountDevice.signUp(service.http);
    const laptop = await bob.adopt('account');
    const answers = await Promise.all([revoke(laptop.id, bob.token), revoke(bob.id, laptop.token)]);
    expect(answers.filter((answer) => answer.status === 204)).toHaveLength(1);
    const left = answers[0].status === 204 ? bob : laptop;
    ok(await service.http.get('/v1/account', left.token), 200);
  });

  it('lets a device revoke itself while another account device remains', async () => {
    const bob = await AccountDevice.signUp(service.http);
    const laptop: ForeignDevice = await bob.adopt('account');
    ok(await revoke(laptop.id, laptop.token), 204);
    expect((await service.http.get('/v1/account', laptop.token)).body.reason).toBe('revoked');
  });

  it('answers the same 404 for another account’s device, an unknown and a malformed id', async () => {
    const bob = await AccountDevice.signUp(service.http);
    const answers = [];
    for (const id of [bob.id, 'dev_00000000000000000000000000', 'nonsense', '%00', `${ada.id}%00`]) {
      answers.push(await revoke(id));
    }
    const { requestId: _, ...first } = answers[0]!.body;
    expect(first).toMatchObject({ status: 404, code: 'not_found' });
    for (const { body } of answers) expect(body).toMatchObject(first);
    ok(await service.http.get('/v1/account', bob.token), 200);
  });
});
