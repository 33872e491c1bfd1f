import { ConsoleVisitor } from '../../support/console-visitor';
import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import { Service } from '../../support/service';

describe('the console’s page of devices', () => {
  let service: Service;
  let ada: AccountDevice;
  let visitor: ConsoleVisitor;
  let csrf: string;
  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    visitor = await ConsoleVisitor.signIn(service.url, ada);
    csrf = await visitor.csrfToken();
  });
  afterAll(() => service?.stop());

  const act = (path: string, fields: object = {}) => visitor.post(`/console/devices/${path}`, { csrf, ...fields });

  it('knows no device of another account', async () => {
    const bob = await AccountDevice.signUp(service.http);
    await bob.signIn();
    expect((await act(`${bob.id}/revoke`)).status).toBe(404);
    ok(await service.http.get('/v1/devices', bob.token), 200);
    expect((await visitor.get('/console/devices')).html).not.toContain(bob.id);
  });

  it('does not revoke the last account device, and says why', async () => {
    const { status, html } = await act(`${ada.id}/revoke`);
    expect(status).toBe(409);
    expect(html).toContain('last account device');
  });

  it('approves nothing without an enrollment that this very device has signed', async () => {
    const { code, id } = await new ForeignDevice(service.http, 'new').requestPairing('account');
    expect((await act('pairing', { code })).html).toContain('Approve new?');
    const bob = await AccountDevice.signUp(service.http);
    const stranger = new ForeignDevice(service.http);
    for (const enrollment of ['', 'no.jws.here', bob.enrollmentFor(stranger), ada.enrollmentFor(stranger)]) {
      expect((await act('pairing/approve', { code, enrollment })).status).toBe(400);
    }
    expect(ok(await service.http.get(`/v1/pairings/${id}`), 200).data.state).toBe('pending');
    expect((await act('pairing/deny', { code })).status).toBe(303);
    expect(ok(await service.http.get(`/v1/pairings/${id}`), 200).data.state).toBe('denied');
  });

  it('closes the entry after ten wrong codes, whatever the eleventh is', async () => {
    const other = await ConsoleVisitor.signIn(service.url, await AccountDevice.signUp(service.http));
    const token = await other.csrfToken();
    const look = (typed: string) => other.post('/console/devices/pairing', { csrf: token, code: typed });
    const { code } = await new ForeignDevice(service.http, 'late').requestPairing('account');
    for (let n = 0; n < 10; n++) {
      const { status, html } = await look('ABCD-EFGH');
      expect(status).toBe(404);
      expect(html).toContain('value="ABCD-EFGH"');
    }
    expect((await look(code)).status).toBe(429);
  });

  it('signs out every account device, and no machine', async () => {
    const machine = await ada.adopt('machine');
    await ada.signIn();
    const phone = await DeviceSocket.connect(service.url, ada.token, ['session.message']);
    const box = await DeviceSocket.connect(service.url, machine.token, ['session.message']);
    let isBoxGone = false;
    void box.disconnected.then(() => (isBoxGone = true));
    const { status, headers } = await act('sign-out-everywhere');
    expect([status, headers.get('location')]).toEqual([303, '/console/sign-in']);
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(401);
    expect((await visitor.get('/console/devices')).status).toBe(303);
    await phone.disconnected;
    expect(isBoxGone).toBe(false);
    box.close();
    const about = { name: 'box', platform: 'linux' };
    ok(await service.http.post('/v1/machines', machine.token, about), 201);
  });
});
