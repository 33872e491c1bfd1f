import { AccountDevice, ok } from '../../support/device/foreign-device';
import { passTime } from '../../support/pass-time';
import { Service } from '../../support/service';

const HOUR = 3_600_000;

describe('sign-ups', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
  });
  afterAll(() => service?.stop());

  it('are 100 an hour and address, failed ones included', async () => {
    const device = new AccountDevice(service.http);
    const signUp = async (address: string, extra: object = {}) => {
      const body = {
        username: 'ada',
        device: { ...device.keys, name: 'a', platform: 'b' },
        contentPublicKey: device.contentKey.publicKey,
        ...(await device.signedChallenge()),
        ...extra,
      };
      return service.http.post('/v1/accounts', undefined, body, { headers: { 'X-Forwarded-For': address } });
    };
    const bad = { signature: 'A'.repeat(86) };
    const tries = await Promise.all(Array.from({ length: 100 }, () => signUp('203.0.113.1', bad)));
    expect(new Set(tries.map((answer) => answer.status))).toEqual(new Set([400]));

    const refused = await signUp('203.0.113.1');
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited', bucket: 'sign-up' });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);

    expect((await signUp('203.0.113.2', bad)).status).toBe(400);
    await passTime(service, HOUR);
    ok(await signUp('203.0.113.1'), 201);
  });
});
