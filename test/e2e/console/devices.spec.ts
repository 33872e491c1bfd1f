import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import { Service } from '../../support/service';

describe('the console’s page of devices', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;
  let csrf: string;
  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
    csrf = await visitor.readCsrfToken();
  });
  afterAll(() => service?.stop());

  const act = (path: string, fields: object = {}) => visitor.post(`/console/devices/${path}`, { csrf, ...fields });

  it('doesn’t show or revoke devices of another account', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    await bob.signIn();
    expect((await act(`${bob.id}/revoke`)).status).toBe(404);
    expectStatus(await service.http.get('/v1/devices', bob.token), 200);
    expect((await visitor.get('/console/devices')).html).not.toContain(bob.id);
  });

  it('refuses to revoke the last account device and explains why', async () => {
    const { status, html } = await act(`${ada.id}/revoke`);
    expect(status).toBe(409);
    expect(html).toContain('last account device');
  });

  it('rejects approvals without an enrollment signed by this device', async () => {
    const { code, id } = await new ForeignDevice(service.http, 'new').requestPairing('account');
    expect((await act('pairing', { code })).html).toContain('Approve new?');
    const bob = await ForeignAccountDevice.signUp(service.http);
    const stranger = new ForeignDevice(service.http);
    for (const enrollment of ['', 'no.jws.here', bob.createEnrollment(stranger), ada.createEnrollment(stranger)]) {
      expect((await act('pairing/approve', { code, enrollment })).status).toBe(400);
    }
    expect(expectStatus(await service.http.get(`/v1/pairings/${id}`), 200).data.state).toBe('pending');
    expect((await act('pairing/deny', { code })).status).toBe(303);
    expect(expectStatus(await service.http.get(`/v1/pairings/${id}`), 200).data.state).toBe('denied');
  });

  it('locks code entry after ten wrong codes, even for a right one', async () => {
    const other = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    const token = await other.readCsrfToken();
    const look = (typed: string) => other.post('/console/devices/pairing', { csrf: token, code: typed });
    const { code } = await new ForeignDevice(service.http, 'late').requestPairing('account');
    for (let n = 0; n < 10; n++) {
      const { status, html } = await look('ABCD-EFGH');
      expect(status).toBe(404);
      expect(html).toContain('value="ABCD-EFGH"');
    }
    expect((await look(code)).status).toBe(429);
  });

  it('signs out all account devices, but no machine', async () => {
    const machine = await ada.pairDevice('machine');
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
    expectStatus(await service.http.post('/v1/machines', machine.token, about), 201);
  });
});
