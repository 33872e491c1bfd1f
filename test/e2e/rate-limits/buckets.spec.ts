import { AccountDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { passTime } from '../../support/pass-time';
import { Service } from '../../support/service';

const UNKNOWN_MACHINE = '/external/v1/machines/mch_00000000000000000000000000';
const SCOPES = ['machines:read', 'machines:invoke'];

/** The five headers as numbers, and that both families say the same. */
function rate({ headers }: Answer, bucket: string) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  expect(headers.get('ratelimit-policy')).toBe(`"${bucket}";q=${limit};w=60`);
  expect(headers.get('ratelimit')).toBe(`"${bucket}";r=${remaining};t=${reset}`);
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
}

describe('the buckets of an account', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  const me = (by = token) => service.http.get('/external/v1/me', by);
  const invoke = (by = token, body: object = { command: 'x' }) =>
    service.http.post(`${UNKNOWN_MACHINE}/invoke`, by, body);

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '6', RATE_LIMIT_RELAY: '3' });
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(SCOPES));
  });
  afterAll(() => service?.stop());

  it('are told of in five headers on every answer, whatever its status', async () => {
    const calls: [number, () => Promise<Answer>][] = [
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
      const answer = await call();
      expect(answer.status).toBe(status);
      left = Math.max(0, left - 1);
      expect(rate(answer, 'metadata')).toEqual({ limit: 6, remaining: left, reset: expect.any(Number) });
    }
  });

  it('refuse with 429 rate_limited, the bucket’s name and the seconds to wait', async () => {
    for (let i = 0; i < 6; i++) ok(await me(), 200);
    const answer = await me();
    expect(answer.status).toBe(429);
    expect(answer.body).toMatchObject({ code: 'rate_limited', bucket: 'metadata' });
    const { reset } = rate(answer, 'metadata');
    expect(answer.headers.get('retry-after')).toBe(String(reset));
    expect(reset).toBeGreaterThan(50);
    expect(reset).toBeLessThanOrEqual(60);
  });

  it('are shared by all tokens of the account, and by nobody else', async () => {
    const { token: second } = await ada.createToken(['usage:read']);
    for (let i = 0; i < 3; i++) {
      ok(await me(token), 200);
      ok(await me(second), 200);
    }
    expect([(await me(token)).status, (await me(second)).status]).toEqual([429, 429]);
    const { token: third } = await ada.createToken(['usage:read']);
    expect((await me(third)).status).toBe(429);
    const bob = await AccountDevice.signUp(service.http);
    ok(await me((await bob.createToken(['usage:read'])).token), 200);
  });

  it('are two: relayed calls draw on relay, all others on metadata', async () => {
    for (let i = 0; i < 3; i++) expect((await invoke()).status).toBe(404);
    const refused = await invoke();
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited', bucket: 'relay' });
    expect(rate(refused, 'relay')).toMatchObject({ limit: 3, remaining: 0 });
    const { body } = await me();
    expect(body.meta.rateLimits.metadata).toMatchObject({ limit: 6, remaining: 5 });
    expect(body.meta.rateLimits.relay).toMatchObject({ limit: 3, remaining: 0 });
    for (let i = 0; i < 5; i++) ok(await me(), 200);
    const other = await AccountDevice.signUp(service.http);
    const otherToken = (await other.createToken(SCOPES)).token;
    expect((await invoke(otherToken)).status).toBe(404);
  });

  it('of relayed calls are drawn on by those that fail too, a bad body and a missing scope included', async () => {
    const { token: unscoped } = await ada.createToken(['usage:read']);
    const answers = [await invoke(token, {}), await invoke(unscoped), await invoke(), await invoke()];
    expect(answers.map((answer) => answer.status)).toEqual([400, 403, 404, 429]);
    expect(answers.map((answer) => rate(answer, 'relay').remaining)).toEqual([2, 1, 0, 0]);
  });

  it('are shown by /me as its own headers say, without drawing on relay', async () => {
    for (let i = 0; i < 2; i++) {
      const answer = await me();
      const state = rate(answer, 'metadata');
      expect(answer.body.meta.rateLimit).toEqual(state);
      expect(answer.body.meta.rateLimits).toEqual({
        metadata: state,
        relay: { limit: 3, remaining: 3, reset: 60 },
      });
    }
    expect(rate(await invoke(), 'relay').remaining).toBe(2);
    expect((await me()).body.meta.rateLimits.relay.remaining).toBe(2);
  });

  it('have a fixed window that begins with its first call', async () => {
    await passTime(service, 30_000);
    expect([59, 60]).toContain(rate(await me(), 'metadata').reset);
    await passTime(service, 40_000);
    for (let i = 0; i < 5; i++) {
      const { reset } = rate(await me(), 'metadata');
      expect([18, 19, 20]).toContain(reset);
    }
    expect((await me()).status).toBe(429);
    await passTime(service, 20_000);
    expect(rate(await me(), 'metadata')).toMatchObject({ remaining: 5, reset: 60 });
  });

  it('are not drawn on by calls that fail authentication or find no route', async () => {
    for (let i = 0; i < 3; i++) {
      expect((await me(`${token}0`)).status).toBe(401);
      expect((await service.http.get('/external/v1/nothing', token)).status).toBe(404);
      expect((await service.http.delete('/external/v1/me', token)).status).toBe(405);
    }
    expect(rate(await me(), 'metadata').remaining).toBe(5);
  });
});
