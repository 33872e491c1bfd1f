import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { fetchAllIds } from '../../support/list-pages';
import { expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

describe('sessions in the device API', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let host: ForeignDevice;
  let other: ForeignDevice;
  let hosted: string[];
  let personal: string;
  let elsewhere: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    host = await ada.pairDevice('machine');
    other = await ada.pairDevice('machine');
    hosted = [];
    for (let n = 0; n < 3; n++) hosted.unshift(await open(host));
    personal = await open(ada);
    elsewhere = await open(other);
    const eve = await ForeignAccountDevice.signUp(service.http);
    await eve.createSession(eve);
  });
  afterAll(() => service?.stop());

  async function open(by: ForeignDevice): Promise<string> {
    service.advanceClock(10);
    return (await ada.createSession(by)).id;
  }

  it('are listed to a machine device in pages if it hosts them', async () => {
    expect(await fetchAllIds(service.http, host.token, '/v1/sessions', { limit: 2 })).toEqual(hosted);
    expect(await fetchAllIds(service.http, other.token, '/v1/sessions')).toEqual([elsewhere]);
  });

  it('are all listed to an account device', async () => {
    const all = await fetchAllIds(service.http, ada.token, '/v1/sessions', { limit: 2 });
    expect(all).toEqual([elsewhere, personal, ...hosted]);
  });

  it('are filtered as in the External API', async () => {
    const path = `/v1/sessions/${hosted[0]}`;
    expectStatus(await service.http.request('PATCH', path, { token: host.token, json: { state: 'ended' } }), 200);
    expect(await fetchAllIds(service.http, host.token, '/v1/sessions', { state: 'ended' })).toEqual([hosted[0]]);
    expect(await fetchAllIds(service.http, other.token, '/v1/sessions', { state: 'ended' })).toEqual([]);
  });

  it('have cursors that other devices can’t use', async () => {
    const { nextCursor } = expectStatus(await service.http.get('/v1/sessions?limit=1', host.token), 200);
    for (const device of [other, ada]) {
      const httpResponse = await service.http.get(`/v1/sessions?cursor=${nextCursor}`, device.token);
      expectProblem(httpResponse, 400, 'invalid_cursor');
    }
  });

  it('contain the additional fields of the device API', async () => {
    const { data } = expectStatus(await service.http.get('/v1/sessions', ada.token), 200);
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

  it('reject tokens of the External API, which rejects device tokens', async () => {
    const { token } = await ada.createToken(['sessions:read']);
    expectProblem(await service.http.get('/v1/sessions', token), 401, 'invalid_token');
    expectProblem(await service.http.get('/external/v1/sessions', ada.token), 401, 'invalid_token');
  });

  it('are the same 404 in the External API for ids that are unknown, malformed or another account’s', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const foreign = (await eve.createSession(eve)).id;
    const { token } = await ada.createToken(['sessions:read']);
    const details = new Set<string>();
    for (const id of [foreign, 'ses_00000000000000000000000000', 'nonsense', '%00', personal.toUpperCase()]) {
      const body = expectProblem(await service.http.get(`/external/v1/sessions/${id}`, token), 404, 'not_found');
      details.add(body.detail);
    }
    expect(details.size).toBe(1);
  });
});
