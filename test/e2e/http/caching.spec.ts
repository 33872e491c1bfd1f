import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('caching and compression', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  let path: string;
  const get = (headers: Record<string, string> = {}, at = path) => service.http.get(at, token, { headers });

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    const registration = { name: 'x'.repeat(100), platform: 'linux' };
    const { data } = expectStatus(await service.http.post('/v1/machines', machine.token, registration), 201);
    path = `/external/v1/machines/${data.id}`;
    ({ token } = await ada.createToken(['machines:read']));
  });
  afterAll(() => service?.stop());

  it('are private to the caller and require revalidation', async () => {
    for (const at of [path, '/external/v1/machines', '/external/v1/me', '/external/v1/nothing']) {
      const { headers } = await get({}, at);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toMatch(/\bAuthorization\b/);
    }
  });

  it('return a weak ETag for single resources, and 304 for it, which counts as a call', async () => {
    const first = await get();
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^W\/".+"$/);
    const remaining = Number(first.headers.get('x-ratelimit-remaining'));
    const second = await get({ 'If-None-Match': etag, 'Cache-Control': 'max-age=0' });
    expect(second.status).toBe(304);
    expect(second.body).toBeNull();
    expect(second.headers.get('etag')).toBe(etag);
    expect(second.headers.get('x-ratelimit-remaining')).toBe(String(remaining - 1));
    expect(second.headers.get('x-request-id')).toMatch(/^req_/);
    expect((await get({ 'If-None-Match': 'W/"other"', 'Cache-Control': 'max-age=0' })).status).toBe(200);
    expect((await get({ 'If-None-Match': `"a", ${etag}`, 'Cache-Control': 'max-age=0' })).status).toBe(304);
  });

  it('return 304 to clients that send no-cache with their condition, like fetch', async () => {
    const etag = (await get()).headers.get('etag')!;
    expect((await get({ 'If-None-Match': etag })).status).toBe(304);
  });

  it('change the ETag with the resource', async () => {
    const etag = (await get()).headers.get('etag')!;
    service.advanceClock(1_000);
    const change = { name: 'y'.repeat(100), platform: 'linux' };
    expectStatus(await service.http.post('/v1/machines', machine.token, change), 200);
    const httpResponse = await get({ 'If-None-Match': etag });
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.headers.get('etag')).not.toBe(etag);
  });

  it('return no 304 to a caller with an invalid credential', async () => {
    const etag = (await get()).headers.get('etag')!;
    const headers = { 'If-None-Match': etag };
    expect((await service.http.get(path, undefined, { headers })).status).toBe(401);
    expect((await service.http.get(path, `${token}0`, { headers })).status).toBe(401);
  });

  it('return no ETag for calls that change something', async () => {
    const relayed = await service.http.post(`${path}/invoke`, token, { command: 'x' });
    expect(relayed.status).toBe(403);
    expect(relayed.headers.get('etag')).toBeNull();
    const named = { name: 'z'.repeat(100), platform: 'linux' };
    const registered = await service.http.post('/v1/machines', machine.token, named);
    expect(registered.status).toBe(200);
    expect(registered.headers.get('etag')).toBeNull();
  });

  it.each([
    ['POST', '/external/v1/oauth/token', 401],
    ['POST', '/external/v1/oauth/introspect', 401],
    ['POST', '/external/v1/oauth/revoke', 401],
    ['GET', '/external/v1/oauth/authorize', 400],
    ['GET', '/console/sign-in', 200],
  ])('return no ETag with what must not be stored: %s %s', async (method, url, status) => {
    const answer = await service.http.request(method, url, {});
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(answer.headers.get('etag')).toBeNull();
  });

  it('return the length of a response, for HEAD as well', async () => {
    const { headers } = await get({ 'Accept-Encoding': 'identity' });
    const { headers: headHeaders } = await service.http.request('HEAD', path, { token });
    expect(Number(headers.get('content-length'))).toBeGreaterThan(100);
    for (const name of ['content-length', 'etag', 'content-type'])
      expect(headHeaders.get(name)).toBe(headers.get(name));
  });

  it('forbid storing responses with a secret', async () => {
    const answers = [
      await service.http.post('/v1/account/external-tokens', ada.token, {
        name: 'a',
        scopes: ['usage:read'],
      }),
    ];
    expect(answers[0]!.headers.get('cache-control')).toBe('no-store');
    const relayed = await service.http.post(`${path}/invoke`, (await ada.createToken(['machines:invoke'])).token, {
      command: 'x',
    });
    expect(relayed.headers.get('cache-control')).toBe('no-store');
  });

  it('compress only responses above 1 KiB', async () => {
    for (let i = 0; i < 8; i++) {
      const other = await ada.pairDevice('machine');
      expectStatus(
        await service.http.post('/v1/machines', other.token, { name: 'n'.repeat(100), platform: 'linux' }),
        201,
      );
    }
    for (const encoding of ['gzip', 'br']) {
      const long = await get({ 'Accept-Encoding': encoding }, '/external/v1/machines');
      expect(long.headers.get('content-encoding')).toBe(encoding);
      expect(long.headers.get('vary')).toMatch(/Accept-Encoding/);
      expect(long.body.data).toHaveLength(9);
      const short = await get({ 'Accept-Encoding': encoding });
      expect(short.headers.get('content-encoding')).toBeNull();
    }
    const plain = await get({ 'Accept-Encoding': 'identity' }, '/external/v1/machines');
    expect(plain.headers.get('content-encoding')).toBeNull();
  });
});
