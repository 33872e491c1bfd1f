import { RateLimiter, type BucketName } from '../../../src/access/rate-limiting';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import type { HttpResponse } from '../../support/http-client';
import { advanceTime } from '../../support/advance-time';
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

  /** Consumes from a bucket without HTTP, so that the calls of a test fit into one window on a busy machine. */
  const consume = (bucket: BucketName, bucketOwner: string, count: number) => {
    const rateLimiter = service.app.get(RateLimiter, { strict: false });
    return Promise.all(Array.from({ length: count }, () => rateLimiter.consume(bucket, bucketOwner)));
  };

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
    await consume('metadata', ada.accountId, 560);
    const calls = Array.from({ length: 41 }, () => service.http.get('/external/v1/me', token));
    const statuses = (await Promise.all(calls)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('allow 1200 calls a minute per device, with the same headers', async () => {
    const laptop = await ada.pairDevice('account');
    await consume('device', laptop.id, 1_190);
    const answers: HttpResponse[] = [];
    for (let i = 0; i < 11; i++) answers.push(await service.http.get('/v1/account', laptop.token));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    const last = answers.at(-1);
    expect(last?.body).toMatchObject({ code: 'rate_limited', bucket: 'device' });
    expect(last?.headers.get('ratelimit-policy')).toBe('"device";q=1200;w=60');
    expect(last?.headers.get('x-ratelimit-remaining')).toBe('0');
    expectStatus(await service.http.get('/v1/account', ada.token), 200);
  });

  it('end with their window, which later calls don’t extend', async () => {
    const { token } = await ada.createToken(['usage:read']);
    await consume('metadata', ada.accountId, 600);
    expect((await service.http.get('/external/v1/me', token)).status).toBe(429);
    await advanceTime(service, 30_000);
    const refused = await service.http.get('/external/v1/me', token);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    await advanceTime(service, 30_000);
    expectStatus(await service.http.get('/external/v1/me', token), 200);
  });
});
