import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { signText } from '../../support/device/keys';
import type { HttpResponse } from '../../support/http-client';
import { advanceTime } from '../../support/advance-time';
import { Service } from '../../support/service';

const BAD_TOKEN = 'svc_pat_nonsense';

describe('the bucket of an address', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let serial = 0;
  const newAddress = () => `203.0.113.${++serial}`;
  const get = (path: string, by: string | undefined, address: string): Promise<HttpResponse> =>
    service.http.get(path, by, { headers: { 'X-Forwarded-For': address } });
  const fail = async (times: number, address: string | (() => string), path = '/external/v1/me') => {
    const from = () => (typeof address === 'string' ? address : address());
    const answers = await Promise.all(Array.from({ length: times }, () => get(path, BAD_TOKEN, from())));
    return answers.map((answer) => answer.status).sort();
  };
  const refused = (httpResponse: HttpResponse) => {
    expect(httpResponse.status).toBe(429);
    expect(httpResponse.body).toMatchObject({ code: 'rate_limited', bucket: 'address' });
    expect(Number(httpResponse.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(httpResponse.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(httpResponse.headers.get('x-ratelimit-limit')).toBe('60');
    expect(httpResponse.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(httpResponse.headers.get('x-ratelimit-reset')).toBe(httpResponse.headers.get('retry-after'));
    expect(httpResponse.headers.get('ratelimit-policy')).toBe('"address";q=60;w=60');
    expect(httpResponse.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
  };

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['usage:read']));
  });
  afterAll(() => service?.stop());

  it('allows 60 failed credentials a minute; the 61st is 429', async () => {
    const address = newAddress();
    expect(await fail(60, address)).toEqual(Array.from({ length: 60 }, () => 401));
    refused(await get('/external/v1/me', BAD_TOKEN, address));
    refused(await get('/external/v1/me', undefined, address));
    refused(await get('/v1/account', undefined, address));
    expect((await get('/external/v1/me', BAD_TOKEN, newAddress())).status).toBe(401);
    await advanceTime(service, 60_000);
    expect((await get('/external/v1/me', BAD_TOKEN, address)).status).toBe(401);
  });

  it('counts exactly for concurrent calls', async () => {
    const statuses = await fail(65, newAddress());
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  });

  it('never rejects a valid token and doesn’t affect the account’s buckets', async () => {
    const address = newAddress();
    await fail(70, address);
    const fresh = await ForeignAccountDevice.signUp(service.http);
    const { token: good } = await fresh.createToken(['usage:read']);
    const httpResponse = await get('/external/v1/me', good, address);
    expect(expectStatus(httpResponse, 200).meta.rateLimit).toMatchObject({ limit: 600, remaining: 599 });
    expectStatus(await get('/v1/account', fresh.token, address), 200);
  });

  it('counts failures in the device API and missing tokens', async () => {
    const address = newAddress();
    await fail(30, address, '/v1/devices');
    await Promise.all(Array.from({ length: 30 }, () => get('/v1/account', undefined, address)));
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  it('counts calls with two Authorization headers, whose tokens could be guesses', async () => {
    const address = newAddress();
    await fail(59, address);
    const headers = { 'X-Forwarded-For': address, Authorization: [`Bearer ${token}`, `Bearer ${BAD_TOKEN}`] };
    const call = request(`${service.url}/external/v1/me`, { headers });
    const [response] = (await once(call.end(), 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(400);
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  it('counts revoked tokens and tokens of the wrong kind', async () => {
    const address = newAddress();
    const { id, token: old } = await ada.createToken(['usage:read']);
    expectStatus(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    await fail(58, address);
    expect((await get('/external/v1/me', old, address)).body.reason).toBe('revoked');
    expect((await get('/v1/account', token, address)).body.reason).toBe('unknown');
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  const signIn = async (device: ForeignDevice, address: string): Promise<HttpResponse> => {
    const { publicKey } = device.keys;
    const body = { publicKey, ...(await device.signChallenge({ publicKey })) };
    return service.http.post('/v1/auth/sign-in', undefined, body, { headers: { 'X-Forwarded-For': address } });
  };

  it('counts failed sign-ins, but not a successful one', async () => {
    const address = newAddress();
    await fail(58, address);
    for (let n = 0; n < 3; n++) expectStatus(await signIn(ada, address), 200);
    expect((await signIn(new ForeignDevice(service.http), address)).status).toBe(401);
    expect((await signIn(new ForeignDevice(service.http), address)).status).toBe(401);
    refused(await signIn(new ForeignDevice(service.http), address));
    refused(await signIn(ada, address));
  });

  it('counts no sign-in that the service failed', async () => {
    const address = newAddress();
    await fail(58, address);
    await queryDatabase(service, 'ALTER TABLE used_challenges RENAME TO hidden_challenges');
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await signIn(ada, address)).status);
    await queryDatabase(service, 'ALTER TABLE hidden_challenges RENAME TO used_challenges');
    expect(statuses).toEqual([500, 500, 500]);
    expectStatus(await signIn(ada, address), 200);
  });

  it('counts challenges, which need no credential', async () => {
    const address = newAddress();
    const headers = { 'X-Forwarded-For': address };
    const challenge = () =>
      service.http.post('/v1/auth/challenge', undefined, { publicKey: ada.keys.publicKey }, { headers });
    const given = expectStatus(await challenge(), 201).data;
    await fail(57, address);
    expectStatus(await challenge(), 201);
    const signIn = () => {
      const proof = { challenge: given.challenge, signature: signText(ada.signing.privateKey, given.message) };
      const body = { publicKey: ada.keys.publicKey, ...proof };
      return service.http.post('/v1/auth/sign-in', undefined, body, { headers });
    };
    expectStatus(await signIn(), 200);
    expectStatus(await challenge(), 201);
    refused(await challenge());
    refused(await get('/external/v1/me', BAD_TOKEN, address));
    refused(await signIn());
    expectStatus(await get('/v1/account', ada.token, address), 200);
  });

  it('counts polls of unknown pairings', async () => {
    const address = newAddress();
    const { id } = await new ForeignDevice(service.http).requestPairing('machine');
    await fail(59, address);
    expectStatus(await get(`/v1/pairings/${id}`, undefined, address), 200);
    expect((await get(`/v1/pairings/${id.replace(/.$/, '!')}`, undefined, address)).status).toBe(404);
    refused(await get(`/v1/pairings/${id.replace(/.$/, '!')}`, undefined, address));
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  it('counts wrong pairing codes', async () => {
    const address = newAddress();
    const bob = await ForeignAccountDevice.signUp(service.http);
    await fail(59, address);
    expect((await get('/v1/pairings/code/ABCD-2345', bob.token, address)).status).toBe(404);
    refused(await get('/external/v1/me', BAD_TOKEN, address));
  });

  it('rejects right pairing codes above its limit, but doesn’t count them', async () => {
    const address = newAddress();
    const bob = await ForeignAccountDevice.signUp(service.http);
    const { code } = await new ForeignDevice(service.http).requestPairing('machine');
    const look = () => get(`/v1/pairings/code/${code}`, bob.token, address);
    for (let n = 0; n < 12; n++) expectStatus(await look(), 200);
    expect(await fail(60, address)).not.toContain(429);
    // Attempts that are refused for their address don't count for the account either, which may enter ten wrong codes.
    for (let n = 0; n < 12; n++) refused(await look());
    expectStatus(await get(`/v1/pairings/code/${code}`, bob.token, newAddress()), 200);
  });

  it('is that of the client in each form in which proxies write it', async () => {
    const client = newAddress();
    let port = 1024;
    const forms = [client, `::ffff:${client}`, `"${client}"`];
    expect(await fail(60, () => forms[++port % 4] ?? `${client}:${port}`)).not.toContain(429);
    expect(await fail(1, () => `${client}:${++port}`)).toEqual([429]);
    expect(await fail(1, `[::ffff:${client}]:443`)).toEqual([429]);
  });

  it('is shared by an IPv6 /64', async () => {
    let i = 0;
    expect(await fail(60, () => `2001:db8:0:1::${(++i).toString(16)}`)).not.toContain(429);
    refused(await get('/external/v1/me', BAD_TOKEN, '2001:db8:0:1:ffff::1'));
    expect((await get('/external/v1/me', BAD_TOKEN, '2001:db8:0:2::1')).status).toBe(401);
  });
});

describe('the address of a caller', () => {
  it('ignores X-Forwarded-For without a trusted proxy', async () => {
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
