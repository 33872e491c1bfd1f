import { AccountDevice, ok, type ForeignDevice } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { Service } from '../../support/service';

describe('GET /v1/sessions/{id}', () => {
  let service: Service;
  let ada: AccountDevice;
  let host: ForeignDevice;
  let session: KeptSession;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    host = await ada.adopt('machine');
    session = await KeptSession.open(ada, host);
  });
  afterAll(() => service?.stop());

  const get = (by: ForeignDevice, id = session.id) => service.http.get(`/v1/sessions/${id}`, by.token);

  it('is the session as the list has it, for account devices and its host', async () => {
    const [listed] = ok(await service.http.get('/v1/sessions', ada.token), 200).data;
    for (const device of [ada, host]) expect(ok(await get(device), 200)).toEqual({ data: listed });
  });

  it('is 403 for a machine that does not host it', async () => {
    const { status, body } = await get(await ada.adopt('machine'));
    expect([status, body.code]).toEqual([403, 'forbidden']);
  });

  it('is 404 for what is unknown, malformed or of another account', async () => {
    const bob = await AccountDevice.signUp(service.http);
    expect((await get(bob)).status).toBe(404);
    for (const id of ['ses_00000000000000000000000000', 'nothing', session.tag])
      expect((await get(ada, id)).status).toBe(404);
  });
});
