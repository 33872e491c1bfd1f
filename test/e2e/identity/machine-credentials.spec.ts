import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice, ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('a machine’s credential', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let tokenId: string;
  let code: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    tokenId = (await ada.createToken(['sessions:read'])).id;
    code = (await new ForeignDevice(service.http).requestPairing('machine')).code;
  });
  afterAll(() => service?.stop());

  const refused: [string, string, object | undefined][] = [
    ['GET', '/v1/account', undefined],
    ['POST', '/v1/account/external-tokens', { name: 'mine', scopes: ['machines:invoke'] }],
    ['GET', '/v1/account/external-tokens', undefined],
    ['GET', '/v1/account/external-tokens/TOKEN', undefined],
    ['DELETE', '/v1/account/external-tokens/TOKEN', undefined],
    ['POST', '/v1/account/external-tokens/TOKEN/rotate', {}],
    ['GET', '/v1/devices', undefined],
    ['DELETE', '/v1/devices/DEVICE', undefined],
    ['GET', '/v1/pairings/code/CODE', undefined],
    ['POST', '/v1/pairings/code/CODE/approve', { enrollment: 'x' }],
    ['POST', '/v1/pairings/code/CODE/deny', {}],
    ['GET', '/v1/relay-calls/req_00000000000000000000000000', undefined],
    ['GET', '/v1/audit-events', undefined],
  ];

  it.each(refused)('does not open %s %s', async (method, template, json) => {
    const path = template.replace('TOKEN', tokenId).replace('DEVICE', ada.id).replace('CODE', code);
    const image = await readTableDigests(service);
    const httpResponse = await service.http.request(method, path, { token: machine.token, json });
    expect(httpResponse.status).toBe(403);
    expect(httpResponse.body.code).toBe('forbidden');
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('does not revoke even the machine itself', async () => {
    const httpResponse = await service.http.delete(`/v1/devices/${machine.id}`, machine.token);
    expect(httpResponse.body).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('doesn’t include the permissions of an account device, and vice versa', async () => {
    const httpResponse = await service.http.post('/v1/machines', ada.token, {
      name: 'me',
      platform: 'linux',
    });
    expect(httpResponse.body).toMatchObject({ status: 403, code: 'forbidden' });
  });
});
