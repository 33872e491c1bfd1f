import { AccountDevice, ok } from '../../../support/device/foreign-device';
import type { Answer } from '../../../support/http-client';
import { ThirdParty } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

const DAY = 86_400_000;

describe('a refresh token for the next (RFC 6749 §6, RFC 9700 §4.14.2)', () => {
  let service: Service;
  let ada: AccountDevice;
  let bob: AccountDevice;
  let app: ThirdParty;
  const refusal = ({ status, body }: Answer) => [status, body.error];
  const me = async (token: string) => {
    const { status, body } = await service.http.get('/external/v1/me', token);
    return [status, body.reason];
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });
  afterAll(() => service?.stop());

  it('is answered like a code, with new tokens; the access token before lives on', async () => {
    const first = await app.tokens(service, bob);
    const answer = await app.refresh(first.refresh_token);
    const second = ok(answer, 200);
    expect(second).toEqual({
      access_token: expect.stringMatching(/^svc_oat_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^svc_ort_/),
      scope: first.scope,
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(7);
    for (const { access_token: token } of [first, second]) expect(await me(token)).toEqual([200, undefined]);
  });

  it('names the same sign-in in /me, whichever token it is', async () => {
    const first = await app.tokens(service, bob);
    const second = ok(await app.refresh(first.refresh_token), 200);
    const ids = [];
    for (const { access_token: token } of [first, second]) {
      ids.push(ok(await service.http.get('/external/v1/me', token), 200).data.token.id);
    }
    expect(ids[0]).toMatch(/^tok_/);
    expect(ids[1]).toBe(ids[0]);
  });

  it('gives an access token of fewer scopes, and no fewer for the next (§6)', async () => {
    const first = await app.tokens(service, bob, { scope: 'sessions:read usage:read profile:read' });
    const second = ok(await app.refresh(first.refresh_token, { scope: 'usage:read  profile:read' }), 200);
    expect(second.scope).toBe('usage:read profile:read');
    const { data } = ok(await service.http.get('/external/v1/me', second.access_token), 200);
    expect(data.token.scopes).toEqual(['usage:read', 'profile:read']);
    const denied = await service.http.get('/external/v1/sessions', second.access_token);
    expect(denied.body).toMatchObject({ code: 'insufficient_scope', required: ['sessions:read'] });
    const third = ok(await app.refresh(second.refresh_token), 200);
    expect(third.scope).toBe(first.scope);
  });

  it.each(['sessions:read machines:read', 'machines:invoke', 'all', ' '])(
    'is not spent by asking for more: %j (§6)',
    async (scope) => {
      const first = await app.tokens(service, bob, { scope: 'sessions:read' });
      expect(refusal(await app.refresh(first.refresh_token, { scope }))).toEqual([400, 'invalid_scope']);
      ok(await app.refresh(first.refresh_token), 200);
    },
  );

  it('is only refused within ten seconds of its use, so that two tabs do not sign each other out', async () => {
    const first = await app.tokens(service, bob);
    const second = ok(await app.refresh(first.refresh_token), 200);
    service.advance(9_000);
    expect(refusal(await app.refresh(first.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(await me(second.access_token)).toEqual([200, undefined]);
    ok(await app.refresh(second.refresh_token), 200);
  });

  it('kills its whole family when it comes again later', async () => {
    const first = await app.tokens(service, bob);
    const second = ok(await app.refresh(first.refresh_token), 200);
    const other = await app.tokens(service, bob);
    expect(await me(second.access_token)).toEqual([200, undefined]);
    service.advance(11_000);
    expect(refusal(await app.refresh(first.refresh_token))).toEqual([400, 'invalid_grant']);
    for (const { access_token: token } of [first, second]) expect(await me(token)).toEqual([401, 'revoked']);
    expect(refusal(await app.refresh(second.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(await me(other.access_token)).toEqual([200, undefined]);
  });

  it("is another client's to no use, neither live nor rotated", async () => {
    const other = await ThirdParty.register(ada);
    const first = await app.tokens(service, bob);
    expect(refusal(await other.refresh(first.refresh_token))).toEqual([400, 'invalid_grant']);
    const second = ok(await app.refresh(first.refresh_token), 200);
    service.advance(11_000);
    expect(refusal(await other.refresh(first.refresh_token))).toEqual([400, 'invalid_grant']);
    ok(await app.refresh(second.refresh_token), 200);
  });

  it('gives tokens to one of ten who come at once, and those work', async () => {
    let { refresh_token: current } = await app.tokens(service, bob);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.refresh(current)));
      const [winner, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(9);
      expect(await me(winner!.body.access_token)).toEqual([200, undefined]);
      current = winner!.body.refresh_token;
    }
    ok(await app.refresh(current), 200);
  });

  it('lives for 30 days', async () => {
    const first = await app.tokens(service, bob);
    service.advance(30 * DAY - 60_000);
    await ada.signIn();
    await bob.signIn();
    const second = ok(await app.refresh(first.refresh_token), 200);
    service.advance(30 * DAY);
    expect(refusal(await app.refresh(second.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('has a family that lives for 90 days at most', async () => {
    let tokens = await app.tokens(service, bob);
    for (let month = 0; month < 3; month++) {
      service.advance(30 * DAY - 60_000);
      tokens = ok(await app.refresh(tokens.refresh_token), 200);
    }
    const { exp, iat } = ok(await app.post('introspect', { token: tokens.refresh_token }), 200);
    expect(exp - iat).toBeLessThanOrEqual(180);
    service.advance(180_000);
    expect(refusal(await app.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it.each([
    ['no token', null],
    ['an empty one', ''],
    ['two', ['a', 'b']],
  ])('is needed: %s', async (_, token) => {
    expect(refusal(await app.refresh('', { refresh_token: token }))).toEqual([400, 'invalid_request']);
  });

  it('is no access token, and the other way round', async () => {
    const tokens = await app.tokens(service, bob);
    expect(refusal(await app.refresh(tokens.access_token))).toEqual([400, 'invalid_grant']);
    expect(await me(tokens.refresh_token)).toEqual([401, 'unknown']);
  });
});
