import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { advanceTime } from '../../support/advance-time';
import { Service } from '../../support/service';

const HOUR = 3_600_000;

describe('sign-ups', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
  });
  afterAll(() => service?.stop());

  it('are limited to 100 per hour and address, including failed ones', async () => {
    const device = new ForeignAccountDevice(service.http);
    let asked = 0;
    const signUp = async (address: string, extra: object = {}) => {
      // Another address, because challenges consume from the bucket of the address.
      const elsewhere = { 'X-Forwarded-For': `198.51.100.${++asked}` };
      const body = {
        username: 'ada',
        device: { ...device.keys, name: 'a', platform: 'b' },
        contentPublicKey: device.contentKey.publicKey,
        ...(await device.signChallenge(device.keys, elsewhere)),
        ...extra,
      };
      return service.http.post('/v1/accounts', undefined, body, { headers: { 'X-Forwarded-For': address } });
    };
    const bad = { signature: 'A'.repeat(86) };
    const tries = await Promise.all(Array.from({ length: 100 }, () => signUp('203.0.113.1', bad)));
    expect(new Set(tries.map((answer) => answer.status))).toEqual(new Set([400]));

    const refused = await signUp('203.0.113.1');
    expect(refused.status).toBe(429);
    const check = await service.http.post(
      '/v1/accounts/check-username',
      undefined,
      { username: 'ada' },
      {
        headers: { 'X-Forwarded-For': '203.0.113.1' },
      },
    );
    expect(check.status).toBe(429);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(refused.body).toMatchObject({ code: 'rate_limited', bucket: 'sign-up' });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);

    expect((await signUp('203.0.113.2', bad)).status).toBe(400);
    await advanceTime(service, HOUR);
    expectStatus(await signUp('203.0.113.1'), 201);
  });
});
