import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { Service } from '../../support/service';

describe('GET /v1/sessions/{id}', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let host: ForeignDevice;
  let session: DeviceSession;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    host = await ada.pairDevice('machine');
    session = await DeviceSession.createSession(ada, host);
  });
  afterAll(() => service?.stop());

  const get = (by: ForeignDevice, id = session.id) => service.http.get(`/v1/sessions/${id}`, by.token);

  it('returns the record of the list to account devices and the host', async () => {
    const [listed] = expectStatus(await service.http.get('/v1/sessions', ada.token), 200).data;
    for (const device of [ada, host]) expect(expectStatus(await get(device), 200)).toEqual({ data: listed });
  });

  it('is 403 for a machine that does not host it', async () => {
    const { status, body } = await get(await ada.pairDevice('machine'));
    expect([status, body.code]).toEqual([403, 'forbidden']);
  });

  it('is 404 for an id that is unknown, malformed or another account’s', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    expect((await get(bob)).status).toBe(404);
    for (const id of ['ses_00000000000000000000000000', 'nothing', session.tag])
      expect((await get(ada, id)).status).toBe(404);
  });
});
