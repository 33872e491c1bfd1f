import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import type { HttpResponse } from '../../support/http-client';
import { Service } from '../../support/service';

const INVISIBLE = ['\u2800', '\u3164', '\u115f\u1160', '\uffa0', 'Goo\u200dgle', 'Google\u200b', 'a\u2028b', '\ufeffa'];
const VISIBLE = ['Ада', '👩‍🚀 rocket', 'می\u200cخواهم', '한국'];

describe('display names', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['webhooks:manage']));
  });
  afterAll(() => service?.stop());

  const places: [what: string, path: string, send: (name: string) => Promise<HttpResponse>][] = [
    [
      'a token',
      '/name',
      (name) => service.http.post('/v1/account/external-tokens', ada.token, { name, scopes: ['usage:read'] }),
    ],
    [
      'an app',
      '/name',
      (name) => service.http.post('/v1/developer/apps', ada.token, { name, redirectUris: ['https://a.example/'] }),
    ],
    ['a machine', '/name', (name) => service.http.post('/v1/machines', machine.token, { name, platform: 'linux' })],
    [
      'a machine’s platform',
      '/platform',
      (platform) => service.http.post('/v1/machines', machine.token, { name: 'box', platform }),
    ],
    [
      'a webhook’s description',
      '/description',
      (description) =>
        service.http.post('/external/v1/webhooks', token, {
          url: 'https://receiver.example/',
          events: ['*'],
          description,
        }),
    ],
    [
      'a device that asks to join',
      '/name',
      async (name) => {
        const device = new ForeignDevice(service.http, name);
        const { publicKey, encryptionKey } = device.keys;
        const body = { publicKey, encryptionKey, kind: 'machine', name, platform: 'linux' };
        const signed = await device.signChallenge({ publicKey, encryptionKey });
        return service.http.post('/v1/pairings', undefined, { ...body, ...signed });
      },
    ],
  ];

  it.each(places)('may not be invisible in part: %s', async (_, path, send) => {
    for (const name of INVISIBLE) {
      const httpResponse = await send(name);
      expect([name, httpResponse.status, listViolations(httpResponse)]).toEqual([
        name,
        400,
        [['body', path, 'invalid_format']],
      ]);
      expect(httpResponse.body.detail).toContain('invisible characters');
    }
    for (const name of VISIBLE) {
      const { status } = await send(name);
      expect([name, [200, 201]]).toEqual([name, expect.arrayContaining([status])]);
    }
    expectStatus(await service.http.get('/v1/devices', ada.token), 200);
  });
});
