import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { passTime } from '../../support/pass-time';
import { Service } from '../../support/service';

const BAD_TOKEN = 'svc_pat_nonsense';

describe('the bucket of an address', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  let serial = 0;
  const newAddress = () => `203.0.113.${++serial}`;
  const get = (path: string, by: string | undefined, address: string): Promise<Answer> =>
    service.http.get(path, by, { headers: { 'X-Forwarded-For': address } });
  const fail = async (times: number, address: string | (() => string), path = '/external/v1/me') => {
    const from = () => (typeof address === 'string' ? address : address());
    const answers = await Promise.all(Array.from({ length: times }, () => get(path, BAD_TOKEN, from())));
    return answers.map((answer) => answer.status).sort();
  };
  const refused = (answer: Answer) => {
    expect(answer.status).toBe(429);
    expect(answer.body).toMatchObject({ code: 'rate_limited', bucket: 'address' });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  };

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
    ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['usage:read']));
  });
  afterAll(() => service?.stop());

  it('takes 60 failed credentials a minute: the 61st is 429', async () => {
    const address = newAddress();
    expect(await fail(60, address)).toEqual(Array.from({ length: 60 }, () => 401));
    refused(await get('/external/v1/me', BAD_TOKEN, address));
    refused(await get('/external/v1/me', undefined, address));
    refused(await get('/v1/account', undefined, address));
    expect((await get('/external/v1/me', BAD_TOKEN, newAddress())).status).toBe(401);
    await passTime(service, 60_000);
    expect((await get('/external/v1/me', BAD_TOKEN, address)).status).toBe(401);
  });

  it('counts exactly when all come at once', async () => {
    const statuses = await fail(65, newAddress());
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  });

  it('never refuses a good token, and leaves the account’s buckets alone', async () => {
    const address = newAddress();
    await fail(70, address);
    const fresh = await AccountDevice.signUp(service.http);
    const { token: good } = await fresh.createToken(['usage:read']);
    const answer = await get('/external/v1/me', good, address);
    expect(ok(answer, 200).meta.rateLimit).toMatchObject({ limit: 600, remaining: 599 });
    ok(await get('/v1/account', fresh.token, address), 200);
  });

  it('counts what fails on the device paths, and missing tokens', async () => {
    const address = newAddress();
    await fail(30, address, '/v1/devices');
    await Promise.all(Array.from({ length: 30 }, () => get('/v1/account', undefined, address)));
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  it('counts tokens that are revoked or of the wrong kind', async () => {
    const address = newAddress();
    const { id, token: old } = await ada.createToken(['usage:read']);
    ok(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    await fail(58, address);
    expect((await get('/external/v1/me', old, address)).body.reason).toBe('revoked');
    expect((await get('/v1/account', token, address)).body.reason).toBe('unknown');
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  it('counts failed sign-ins, and lets a good one through', async () => {
    const address = newAddress();
    const headers = { 'X-Forwarded-For': address };
    const signIn = async (device: ForeignDevice) => {
      const { publicKey } = device.keys;
      const body = { publicKey, ...(await device.signedChallenge({ publicKey })) };
      return service.http.post('/v1/auth/sign-in', undefined, body, { headers });
    };
    await fail(59, address);
    expect((await signIn(new ForeignDevice(service.http))).status).toBe(401);
    refused(await signIn(new ForeignDevice(service.http)));
    ok(await signIn(ada), 200);
  });

  it('counts wrong pairing codes', async () => {
    const address = newAddress();
    const bob = await AccountDevice.signUp(service.http);
    await fail(59, address);
    expect((await get('/v1/pairings/code/ABCD-2345', bob.token, address)).status).toBe(404);
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  it('is one for a /64 of IPv6, and another for the next', async () => {
    let i = 0;
    expect(await fail(60, () => `2001:db8:0:1::${(++i).toString(16)}`)).not.toContain(429);
    refused(await get('/external/v1/me', BAD_TOKEN, '2001:db8:0:1:ffff::1'));
    expect((await get('/external/v1/me', BAD_TOKEN, '2001:db8:0:2::1')).status).toBe(401);
  });
});

describe('the address of a caller', () => {
  it('is not what a header says where no proxy is trusted', async () => {
    const service = await Service.start();
    try {
      const calls = Array.from({ length: 61 }, (_, i) =>
        service.http.get('/external/v1/me', BAD_TOKEN, { headers: { 'X-Forwarded-For': `203.0.113.${i}` } }),
      );
      const statuses = (await Promise.all(calls)).map((answer) => answer.status);
      expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    } finally {
      await service.stop();
    }
  });
});
