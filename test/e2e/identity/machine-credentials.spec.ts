import { databaseImage } from '../../support/database';
import { AccountDevice, ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('a machine’s credential', () => {
  let service: Service;
  let ada: AccountDevice;
  let machine: ForeignDevice;
  let tokenId: string;
  let code: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    machine = await ada.adopt('machine');
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
  ];

  it.each(refused)('does not open %s %s', async (method, template, json) => {
    const path = template.replace('TOKEN', tokenId).replace('DEVICE', ada.id).replace('CODE', code);
    const image = await databaseImage(service);
    const answer = await service.http.request(method, path, { token: machine.token, json });
    expect(answer.status).toBe(403);
    expect(answer.body.code).toBe('forbidden');
    expect(await databaseImage(service)).toEqual(image);
  });

  it('does not revoke even the machine itself', async () => {
    const answer = await service.http.delete(`/v1/devices/${machine.id}`, machine.token);
    expect(answer.body).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('and an account device’s are kept apart: the latter registers no machine', async () => {
    const answer = await service.http.post('/v1/machines', ada.token, { name: 'me', platform: 'linux' });
    expect(answer.body).toMatchObject({ status: 403, code: 'forbidden' });
  });
});
