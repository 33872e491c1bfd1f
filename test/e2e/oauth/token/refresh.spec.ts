import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import type { HttpResponse } from '../../../support/http-client';
import { ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

const DAY = 86_400_000;

describe('a refresh token (RFC 6749 §6, RFC 9700 §4.14.2)', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const refusal = ({ status, body }: HttpResponse) => [status, body.error];
  const me = async (token: string) => {
    const { status, body } = await service.http.get('/external/v1/me', token);
    return [status, body.reason];
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });
  afterAll(() => service?.stop());

  it('returns new tokens like a code; the previous access token stays valid', async () => {
    const first = await app.obtainTokens(service, bob);
    const httpResponse = await app.refreshTokens(first.refresh_token);
    const second = expectStatus(httpResponse, 200);
    expect(second).toEqual({
      access_token: expect.stringMatching(/^svc_oat_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^svc_ort_/),
      scope: first.scope,
    });
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(7);
    for (const { access_token: token } of [first, second]) expect(await me(token)).toEqual([200, undefined]);
  });

  it('belongs to the same sign-in in /me as every other token', async () => {
    const first = await app.obtainTokens(service, bob);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    const ids = [];
    for (const { access_token: token } of [first, second]) {
      ids.push(expectStatus(await service.http.get('/external/v1/me', token), 200).data.token.id);
    }
    expect(ids[0]).toMatch(/^tok_/);
    expect(ids[1]).toBe(ids[0]);
  });

  it('narrows the scopes of the access token, but not of the next one (§6)', async () => {
    const first = await app.obtainTokens(service, bob, { scope: 'sessions:read usage:read profile:read' });
    const second = expectStatus(
      await app.refreshTokens(first.refresh_token, { scope: 'usage:read  profile:read' }),
      200,
    );
    expect(second.scope).toBe('usage:read profile:read');
    const { data } = expectStatus(await service.http.get('/external/v1/me', second.access_token), 200);
    expect(data.token.scopes).toEqual(['usage:read', 'profile:read']);
    const denied = await service.http.get('/external/v1/sessions', second.access_token);
    expect(denied.body).toMatchObject({ code: 'insufficient_scope', required: ['sessions:read'] });
    const third = expectStatus(await app.refreshTokens(second.refresh_token), 200);
    expect(third.scope).toBe(first.scope);
  });

  it.each(['sessions:read machines:read', 'machines:invoke', 'all', ' '])(
    'is not consumed by a request for more scopes: %j (§6)',
    async (scope) => {
      const first = await app.obtainTokens(service, bob, { scope: 'sessions:read' });
      expect(refusal(await app.refreshTokens(first.refresh_token, { scope }))).toEqual([400, 'invalid_scope']);
      expectStatus(await app.refreshTokens(first.refresh_token), 200);
    },
  );

  it('is only rejected within ten seconds of its use, so that two tabs don’t sign each other out', async () => {
    const first = await app.obtainTokens(service, bob);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    service.advanceClock(9_000);
    expect(refusal(await app.refreshTokens(first.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(await me(second.access_token)).toEqual([200, undefined]);
    expectStatus(await app.refreshTokens(second.refresh_token), 200);
  });

  it('revokes its whole family when it is used again later', async () => {
    const first = await app.obtainTokens(service, bob);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    const other = await app.obtainTokens(service, bob);
    expect(await me(second.access_token)).toEqual([200, undefined]);
    service.advanceClock(11_000);
    expect(refusal(await app.refreshTokens(first.refresh_token))).toEqual([400, 'invalid_grant']);
    for (const { access_token: token } of [first, second]) expect(await me(token)).toEqual([401, 'revoked']);
    expect(refusal(await app.refreshTokens(second.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(await me(other.access_token)).toEqual([200, undefined]);
  });

  it("is another client's to no use, neither live nor rotated", async () => {
    const other = await ThirdPartyApp.register(ada);
    const first = await app.obtainTokens(service, bob);
    expect(refusal(await other.refreshTokens(first.refresh_token))).toEqual([400, 'invalid_grant']);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    service.advanceClock(11_000);
    expect(refusal(await other.refreshTokens(first.refresh_token))).toEqual([400, 'invalid_grant']);
    expectStatus(await app.refreshTokens(second.refresh_token), 200);
  });

  it('returns working tokens to one of ten concurrent requests', async () => {
    let { refresh_token: current } = await app.obtainTokens(service, bob);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.refreshTokens(current)));
      const [winner, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(9);
      expect(await me(winner!.body.access_token)).toEqual([200, undefined]);
      current = winner!.body.refresh_token;
    }
    expectStatus(await app.refreshTokens(current), 200);
  });

  it('expires after 30 days', async () => {
    const first = await app.obtainTokens(service, bob);
    service.advanceClock(30 * DAY - 60_000);
    await ada.signIn();
    await bob.signIn();
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    service.advanceClock(30 * DAY);
    expect(refusal(await app.refreshTokens(second.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('has a family that expires after 90 days', async () => {
    let tokens = await app.obtainTokens(service, bob);
    for (let month = 0; month < 3; month++) {
      service.advanceClock(30 * DAY - 60_000);
      tokens = expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    }
    const { exp, iat } = expectStatus(await app.postToEndpoint('introspect', { token: tokens.refresh_token }), 200);
    expect(exp - iat).toBeLessThanOrEqual(180);
    service.advanceClock(180_000);
    expect(refusal(await app.refreshTokens(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it.each([
    ['no token', null],
    ['an empty one', ''],
    ['two', ['a', 'b']],
  ])('is required: %s', async (_, token) => {
    expect(refusal(await app.refreshTokens('', { refresh_token: token }))).toEqual([400, 'invalid_request']);
  });

  it('is not an access token, and vice versa', async () => {
    const tokens = await app.obtainTokens(service, bob);
    expect(refusal(await app.refreshTokens(tokens.access_token))).toEqual([400, 'invalid_grant']);
    expect(await me(tokens.refresh_token)).toEqual([401, 'unknown']);
  });
});
