import { queryDatabase } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { Service } from '../../support/service';

const PATH = '/v1/account/external-tokens';

describe('a credential that is revoked while it is cached', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const me = (token: string) => service.http.get('/external/v1/me', token);
  const sessions = (device: ForeignDevice) => service.http.get('/v1/sessions', device.token);
  const refusal = { status: 401, body: expect.objectContaining({ code: 'invalid_token' }) };

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
  });

  it('is rejected at once by the instance that revoked it', async () => {
    const laptop = await ada.pairDevice('account');
    const revoked = await ada.createToken(['usage:read']);
    const rotated = await ada.createToken(['usage:read']);
    const other = await ada.createToken(['usage:read']);
    for (const { token } of [revoked, rotated, other]) expectStatus(await me(token), 200);

    expectStatus(await sessions(laptop), 200);
    expectStatus(await service.http.delete(`/v1/devices/${laptop.id}`, ada.token), 204);
    expect(await sessions(laptop)).toMatchObject(refusal);
    expectStatus(await service.http.delete(`${PATH}/${revoked.id}`, ada.token), 204);
    expect(await me(revoked.token)).toMatchObject(refusal);
    expectStatus(await service.http.post(`${PATH}/${rotated.id}/rotate`, ada.token, {}), 200);
    expect(await me(rotated.token)).toMatchObject(refusal);

    expectStatus(await me(other.token), 200);
    expectStatus(await service.http.delete('/v1/account', ada.token), 204);
    expect(await me(other.token)).toMatchObject(refusal);
    expect(await sessions(ada)).toMatchObject(refusal);
  });

  it('is rejected at once despite continuous calls', async () => {
    const { id, token } = await ada.createToken(['usage:read']);
    let done = false;
    const calling = Array.from({ length: 4 }, async () => {
      while (!done) expect([200, 401]).toContain((await me(token)).status);
    });
    expectStatus(await me(token), 200);
    expectStatus(await service.http.delete(`${PATH}/${id}`, ada.token), 204);
    expect(await me(token)).toMatchObject(refusal);
    done = true;
    await Promise.all(calling);
  });

  it('opens no socket, even before another instance’s change is known', async () => {
    const machine = await ada.pairDevice('machine');
    expectStatus(await sessions(machine), 200);
    await queryDatabase(service, 'UPDATE devices SET revoked_at = now() WHERE id = $1', [machine.id]);
    await expect(DeviceSocket.connect(service.url, machine.token)).rejects.toMatchObject({
      data: { code: 'invalid_token' },
    });
  });

  it('is rejected when another instance has deleted the account', async () => {
    const machine = await ada.pairDevice('machine');
    for (const answer of [await sessions(machine), await sessions(ada)]) expectStatus(answer, 200);
    await queryDatabase(service, 'DELETE FROM accounts WHERE id = $1', [ada.accountId]);

    const registration = { name: 'box', platform: 'linux' };
    const newToken = { name: 'n', scopes: ['usage:read'] };
    const answers = await Promise.all([
      service.http.get('/v1/account', ada.token),
      service.http.post(PATH, ada.token, newToken),
      service.http.post('/v1/sessions', ada.token, new SessionBodyBuilder(ada).buildCreateBody()),
      service.http.post('/v1/machines', machine.token, registration),
    ]);
    for (const answer of answers) {
      expect(answer).toMatchObject(refusal);
      expect(answer.body.reason).toBe('unknown');
    }
  });
});
