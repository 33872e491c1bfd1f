import { AccountDevice, ok, type ForeignDevice } from '../../support/device/foreign-device';
import { walk } from '../../support/pages';
import { problem } from '../../support/problems';
import { Service } from '../../support/service';

describe('sessions, read back', () => {
  let service: Service;
  let ada: AccountDevice;
  let host: ForeignDevice;
  let other: ForeignDevice;
  let hosted: string[];
  let personal: string;
  let elsewhere: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    host = await ada.adopt('machine');
    other = await ada.adopt('machine');
    hosted = [];
    for (let n = 0; n < 3; n++) hosted.unshift(await open(host));
    personal = await open(ada);
    elsewhere = await open(other);
    const eve = await AccountDevice.signUp(service.http);
    await eve.openSession(eve);
  });
  afterAll(() => service?.stop());

  async function open(by: ForeignDevice): Promise<string> {
    service.advance(10);
    return (await ada.openSession(by)).id;
  }

  it('are those that it hosts for a machine device, page by page', async () => {
    expect(await walk(service.http, host.token, '/v1/sessions', { limit: 2 })).toEqual(hosted);
    expect(await walk(service.http, other.token, '/v1/sessions')).toEqual([elsewhere]);
  });

  it('are all of the account for an account device', async () => {
    const all = await walk(service.http, ada.token, '/v1/sessions', { limit: 2 });
    expect(all).toEqual([elsewhere, personal, ...hosted]);
  });

  it('are filtered as in the External API', async () => {
    const path = `/v1/sessions/${hosted[0]}`;
    ok(await service.http.request('PATCH', path, { token: host.token, json: { state: 'ended' } }), 200);
    expect(await walk(service.http, host.token, '/v1/sessions', { state: 'ended' })).toEqual([hosted[0]]);
    expect(await walk(service.http, other.token, '/v1/sessions', { state: 'ended' })).toEqual([]);
  });

  it('have cursors that serve no other device’s list', async () => {
    const { nextCursor } = ok(await service.http.get('/v1/sessions?limit=1', host.token), 200);
    for (const device of [other, ada]) {
      const answer = await service.http.get(`/v1/sessions?cursor=${nextCursor}`, device.token);
      problem(answer, 400, 'invalid_cursor');
    }
  });

  it('carry what a device needs beyond the External API', async () => {
    const { data } = ok(await service.http.get('/v1/sessions', ada.token), 200);
    for (const session of data) {
      expect(session).toMatchObject({
        object: 'session',
        version: 1,
        metadata: null,
        dataKey: { kid: expect.any(String), sealed: expect.any(String) },
        hostDeviceId: expect.stringMatching(/^dev_/),
      });
    }
  });

  it('are closed to tokens of the External API, as its paths are to devices', async () => {
    const { token } = await ada.createToken(['sessions:read']);
    problem(await service.http.get('/v1/sessions', token), 401, 'invalid_token');
    problem(await service.http.get('/external/v1/sessions', ada.token), 401, 'invalid_token');
  });

  it('are the same 404 in the External API for ids that are unknown, malformed or another account’s', async () => {
    const eve = await AccountDevice.signUp(service.http);
    const foreign = (await eve.openSession(eve)).id;
    const { token } = await ada.createToken(['sessions:read']);
    const details = new Set<string>();
    for (const id of [foreign, 'ses_00000000000000000000000000', 'nonsense', '%00', personal.toUpperCase()]) {
      const body = problem(await service.http.get(`/external/v1/sessions/${id}`, token), 404, 'not_found');
      details.add(body.detail);
    }
    expect(details.size).toBe(1);
  });
});
