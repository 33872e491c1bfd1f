import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { advanceTime } from '../../support/advance-time';
import { Service } from '../../support/service';

const UNKNOWN_MACHINE = '/external/v1/machines/mch_00000000000000000000000000';
const SCOPES = ['machines:read', 'machines:invoke'];

/** Reads the rate limit headers as numbers and expects both kinds of headers to agree. */
function rate({ headers }: HttpResponse, bucket: string) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  expect(headers.get('ratelimit-policy')).toBe(`"${bucket}";q=${limit};w=60`);
  expect(headers.get('ratelimit')).toBe(`"${bucket}";r=${remaining};t=${reset}`);
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
}

describe('the buckets of an account', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  const me = (by = token) => service.http.get('/external/v1/me', by);
  const invoke = (by = token, body: object = { command: 'x' }) =>
    service.http.post(`${UNKNOWN_MACHINE}/invoke`, by, body);

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '6', RATE_LIMIT_RELAY: '3' });
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(SCOPES));
  });
  afterAll(() => service?.stop());

  it('are reported in five headers of every response, regardless of its status', async () => {
    const calls: [number, () => Promise<HttpResponse>][] = [
      [200, () => me()],
      [404, () => service.http.get(UNKNOWN_MACHINE, token)],
      [403, () => service.http.get('/external/v1/sessions', token)],
      [400, () => service.http.get('/external/v1/machines?limit=0', token)],
      [406, () => service.http.get('/external/v1/machines', token, { headers: { Accept: 'text/html' } })],
      [200, () => service.http.request('HEAD', '/external/v1/machines', { token })],
      [429, () => me()],
      [429, () => service.http.get('/external/v1/sessions', token)],
    ];
    let left = 6;
    for (const [status, call] of calls) {
      const httpResponse = await call();
      expect(httpResponse.status).toBe(status);
      left = Math.max(0, left - 1);
      expect(rate(httpResponse, 'metadata')).toEqual({
        limit: 6,
        remaining: left,
        reset: expect.any(Number),
      });
    }
  });

  it('reject with 429 rate_limited, the bucket’s name and the seconds to wait', async () => {
    for (let i = 0; i < 6; i++) expectStatus(await me(), 200);
    const httpResponse = await me();
    expect(httpResponse.status).toBe(429);
    expect(httpResponse.body).toMatchObject({ code: 'rate_limited', bucket: 'metadata' });
    const { reset } = rate(httpResponse, 'metadata');
    expect(httpResponse.headers.get('retry-after')).toBe(String(reset));
    expect(reset).toBeGreaterThan(50);
    expect(reset).toBeLessThanOrEqual(60);
  });

  it('are shared by all tokens of the account only', async () => {
    const { token: second } = await ada.createToken(['usage:read']);
    for (let i = 0; i < 3; i++) {
      expectStatus(await me(token), 200);
      expectStatus(await me(second), 200);
    }
    expect([(await me(token)).status, (await me(second)).status]).toEqual([429, 429]);
    const { token: third } = await ada.createToken(['usage:read']);
    expect((await me(third)).status).toBe(429);
    const bob = await ForeignAccountDevice.signUp(service.http);
    expectStatus(await me((await bob.createToken(['usage:read'])).token), 200);
  });

  it('are relay for relayed calls and metadata for all others', async () => {
    for (let i = 0; i < 3; i++) expect((await invoke()).status).toBe(404);
    const refused = await invoke();
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited', bucket: 'relay' });
    expect(rate(refused, 'relay')).toMatchObject({ limit: 3, remaining: 0 });
    const { body } = await me();
    expect(body.meta.rateLimits.metadata).toMatchObject({ limit: 6, remaining: 5 });
    expect(body.meta.rateLimits.relay).toMatchObject({ limit: 3, remaining: 0 });
    for (let i = 0; i < 5; i++) expectStatus(await me(), 200);
    const other = await ForeignAccountDevice.signUp(service.http);
    const otherToken = (await other.createToken(SCOPES)).token;
    expect((await invoke(otherToken)).status).toBe(404);
  });

  it('count failed relayed calls, including invalid bodies and missing scopes', async () => {
    const { token: unscoped } = await ada.createToken(['usage:read']);
    const answers = [await invoke(token, {}), await invoke(unscoped), await invoke(), await invoke()];
    expect(answers.map((answer) => answer.status)).toEqual([400, 403, 404, 429]);
    expect(answers.map((answer) => rate(answer, 'relay').remaining)).toEqual([2, 1, 0, 0]);
  });

  it('are shown by /me like in its headers, without consuming from relay', async () => {
    for (let i = 0; i < 2; i++) {
      const httpResponse = await me();
      const state = rate(httpResponse, 'metadata');
      expect(httpResponse.body.meta.rateLimit).toEqual(state);
      expect(httpResponse.body.meta.rateLimits).toEqual({
        metadata: state,
        relay: { limit: 3, remaining: 3, reset: 60 },
      });
    }
    expect(rate(await invoke(), 'relay').remaining).toBe(2);
    expect((await me()).body.meta.rateLimits.relay.remaining).toBe(2);
  });

  it('have a fixed window that starts with the first call', async () => {
    await advanceTime(service, 30_000);
    expect([59, 60]).toContain(rate(await me(), 'metadata').reset);
    await advanceTime(service, 40_000);
    for (let i = 0; i < 5; i++) {
      const { reset } = rate(await me(), 'metadata');
      expect([18, 19, 20]).toContain(reset);
    }
    expect((await me()).status).toBe(429);
    await advanceTime(service, 20_000);
    expect(rate(await me(), 'metadata')).toMatchObject({ remaining: 5, reset: 60 });
  });

  it('ignore calls that fail authentication or have no route', async () => {
    for (let i = 0; i < 3; i++) {
      expect((await me(`${token}0`)).status).toBe(401);
      const unknown = [
        await service.http.get('/external/v1/nothing', token),
        await service.http.delete('/external/v1/me', token),
      ];
      expect(unknown.map(({ status }) => status)).toEqual([404, 405]);
      for (const { headers } of unknown) expect(headers.get('x-ratelimit-limit')).toBeNull();
    }
    expect(rate(await me(), 'metadata').remaining).toBe(5);
  });
});
