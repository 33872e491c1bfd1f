import { query } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { AccountDevice, ok, type ForeignDevice } from '../../support/device/foreign-device';
import { SessionBody } from '../../support/device/session-bodies';
import { Service } from '../../support/service';

const PATH = '/v1/account/external-tokens';

describe('a credential that ends while it is in use', () => {
  let service: Service;
  let ada: AccountDevice;
  const me = (token: string) => service.http.get('/external/v1/me', token);
  const sessions = (device: ForeignDevice) => service.http.get('/v1/sessions', device.token);
  const refusal = { status: 401, body: expect.objectContaining({ code: 'invalid_token' }) };

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
  });

  it('is refused at once by the instance that ended it', async () => {
    const laptop = await ada.adopt('account');
    const revoked = await ada.createToken(['usage:read']);
    const rotated = await ada.createToken(['usage:read']);
    const other = await ada.createToken(['usage:read']);
    for (const { token } of [revoked, rotated, other]) ok(await me(token), 200);

    ok(await sessions(laptop), 200);
    ok(await service.http.delete(`/v1/devices/${laptop.id}`, ada.token), 204);
    expect(await sessions(laptop)).toMatchObject(refusal);
    ok(await service.http.delete(`${PATH}/${revoked.id}`, ada.token), 204);
    expect(await me(revoked.token)).toMatchObject(refusal);
    ok(await service.http.post(`${PATH}/${rotated.id}/rotate`, ada.token, {}), 200);
    expect(await me(rotated.token)).toMatchObject(refusal);

    ok(await me(other.token), 200);
    ok(await service.http.delete('/v1/account', ada.token), 204);
    expect(await me(other.token)).toMatchObject(refusal);
    expect(await sessions(ada)).toMatchObject(refusal);
  });

  it('is refused at once though calls with it go on all the time', async () => {
    const { id, token } = await ada.createToken(['usage:read']);
    let done = false;
    const calling = Array.from({ length: 4 }, async () => {
      while (!done) expect([200, 401]).toContain((await me(token)).status);
    });
    ok(await me(token), 200);
    ok(await service.http.delete(`${PATH}/${id}`, ada.token), 204);
    expect(await me(token)).toMatchObject(refusal);
    done = true;
    await Promise.all(calling);
  });

  it('opens no socket, not even while another instance’s change is not known yet', async () => {
    const machine = await ada.adopt('machine');
    ok(await sessions(machine), 200);
    await query(service, 'UPDATE devices SET revoked_at = now() WHERE id = $1', [machine.id]);
    await expect(DeviceSocket.connect(service.url, machine.token)).rejects.toMatchObject({
      data: { code: 'invalid_token' },
    });
  });

  it('is refused where the account is missed, when another instance has deleted that', async () => {
    const machine = await ada.adopt('machine');
    for (const answer of [await sessions(machine), await sessions(ada)]) ok(answer, 200);
    await query(service, 'DELETE FROM accounts WHERE id = $1', [ada.accountId]);

    const registration = { name: 'box', platform: 'linux' };
    const newToken = { name: 'n', scopes: ['usage:read'] };
    const answers = await Promise.all([
      service.http.get('/v1/account', ada.token),
      service.http.post(PATH, ada.token, newToken),
      service.http.post('/v1/sessions', ada.token, new SessionBody(ada).create()),
      service.http.post('/v1/machines', machine.token, registration),
    ]);
    for (const answer of answers) {
      expect(answer).toMatchObject(refusal);
      expect(answer.body.reason).toBe('unknown');
    }
  });
});
