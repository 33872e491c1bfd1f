import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import type { HttpResponse } from '../../support/http-client';
import { getServiceRedis } from '../../support/advance-time';
import { Service } from '../../support/service';

describe('the limits of the standard plan', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('allow exactly 60 of 61 concurrent relayed calls with any token', async () => {
    const machine = await ada.pairDevice('machine');
    const { data } = expectStatus(
      await service.http.post('/v1/machines', machine.token, { name: 'a', platform: 'b' }),
      201,
    );
    const socket = await DeviceSocket.connect(service.url, machine.token, ['machine.invoke']);
    const tokens = await Promise.all([1, 2].map(() => ada.createToken(['machines:invoke'])));
    // In batches of 15, because a device accepts 16 concurrent calls.
    const statuses: number[] = [];
    for (let begun = 0; begun < 61; begun += 15) {
      const flight = Array.from({ length: Math.min(15, 61 - begun) }, (_, i) =>
        service.http.post(`/external/v1/machines/${data.id}/invoke`, tokens[i % 2]!.token, { command: 'x' }),
      );
      statuses.push(...(await Promise.all(flight)).map((answer) => answer.status));
    }
    socket.close();
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(socket.requests).toHaveLength(60);
  });

  it('allow exactly 60 of 61 simultaneous calls', async () => {
    const { token } = await ada.createToken(['sessions:write']);
    const path = '/external/v1/sessions/ses_00000000000000000000000000/messages';
    const calls = Array.from({ length: 61 }, () => service.http.post(path, token, { content: 'x' }));
    const statuses = (await Promise.all(calls)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('allow 600 other calls a minute', async () => {
    const { token } = await ada.createToken(['usage:read']);
    const statuses: number[] = [];
    for (let i = 0; i < 601; i += 50) {
      const calls = Array.from({ length: Math.min(50, 601 - i) }, () => service.http.get('/external/v1/me', token));
      statuses.push(...(await Promise.all(calls)).map((answer) => answer.status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('allow 1200 calls a minute per device, with the same headers', async () => {
    const laptop = await ada.pairDevice('account');
    const statuses: number[] = [];
    let last: HttpResponse | undefined;
    for (let i = 0; i < 1201; i += 50) {
      const calls = Array.from({ length: Math.min(50, 1201 - i) }, () => service.http.get('/v1/account', laptop.token));
      const answers = await Promise.all(calls);
      last = answers.at(-1)!;
      statuses.push(...answers.map((answer) => answer.status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(1200);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(last?.body).toMatchObject({ code: 'rate_limited', bucket: 'device' });
    expect(last?.headers.get('ratelimit-policy')).toBe('"device";q=1200;w=60');
    expect(last?.headers.get('x-ratelimit-remaining')).toBe('0');
    expectStatus(await service.http.get('/v1/account', ada.token), 200);
  });

  it('use the clock of the store', async () => {
    const { token } = await ada.createToken(['usage:read']);
    expectStatus(await service.http.get('/external/v1/me', token), 200);
    const before = await windowEnd(service, `limit:metadata:${ada.accountId}`);
    const later = expectStatus(await service.http.get('/external/v1/me', token), 200);
    const after = await windowEnd(service, `limit:metadata:${ada.accountId}`);
    expect(Math.abs(after - before)).toBeLessThan(50);
    expect(later.meta.rateLimit.reset).toBeLessThanOrEqual(60);
  });
});

/** Returns the end of a window by the clock of its store: Redis, or the API's header in seconds. */
async function windowEnd(service: Service, key: string): Promise<number> {
  const redis = getServiceRedis(service);
  if (!redis) return 0;
  const left = await redis.pttl(key);
  expect(left).toBeGreaterThan(50_000);
  return Date.now() + left;
}
