import { databaseImage, tablesHolding } from '../../../support/database';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import type { Answer } from '../../../support/http-client';
import { VERIFIER, challengeOf, ThirdParty, unique, type Fields } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

describe('a code for tokens', () => {
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

  it('is answered 200 with exactly five members, kept by nobody (RFC 6749 §5.1)', async () => {
    const answer = await app.exchange(await app.code(service, bob, { scope: 'usage:read sessions:read' }));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^svc_oat_[0-9A-Za-z]{36}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^svc_ort_[0-9A-Za-z]{36}$/),
      scope: 'usage:read sessions:read',
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
  });

  it('is kept as a hash, like its tokens', async () => {
    const code = await app.code(service, bob);
    expect(await tablesHolding(service, code)).toEqual([]);
    const tokens = ok(await app.exchange(code), 200);
    for (const secret of [tokens.access_token, tokens.refresh_token]) {
      expect(await tablesHolding(service, secret)).toEqual([]);
      expect(await tablesHolding(service, secret.slice(8))).toEqual([]);
    }
    expect(service.logs.join('')).not.toContain(code);
    expect(service.logs.join('')).not.toContain(tokens.access_token.slice(8));
  });

  it.each<[string, Fields]>([
    ['grant_type', { grant_type: null }],
    ['code', { code: null }],
    ['code', { code: '' }],
    ['redirect_uri', { redirect_uri: null }],
    ['code_verifier (RFC 7636 §4.5)', { code_verifier: null }],
    ['code_verifier', { code_verifier: '' }],
    ['code', { code: ['a', 'a'] }],
    ['redirect_uri', { redirect_uri: ['a', 'a'] }],
    ['code_verifier', { code_verifier: ['a', 'a'] }],
  ])('needs %s once, and stays good without (RFC 6749 §4.1.3, §5.2)', async (name, changes) => {
    const code = await app.code(service, bob);
    const answer = await app.exchange(code, changes);
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error_description).toContain(name.split(' ')[0]);
    ok(await app.exchange(code), 200);
  });

  it('lives for 60 seconds (RFC 6749 §4.1.2)', async () => {
    const good = await app.code(service, bob);
    service.advance(59_000);
    ok(await app.exchange(good), 200);
    const late = await app.code(service, bob);
    service.advance(60_000);
    expect(refusal(await app.exchange(late))).toEqual([400, 'invalid_grant']);
  });

  it("is another client's to no use, and stays good for its own (RFC 6749 §4.1.3)", async () => {
    const other = await ThirdParty.register(ada);
    const code = await app.code(service, bob);
    const image = await databaseImage(service);
    const tried = await other.exchange(code);
    expect(refusal(tried)).toEqual([400, 'invalid_grant']);
    const after = await databaseImage(service);
    // The other app's secret was used, and that is all that changed.
    expect({ ...after, developer_app_secrets: image.developer_app_secrets }).toEqual(image);
    const { access_token: token } = ok(await app.exchange(code), 200);
    expect(refusal(await other.exchange(code))).toEqual([400, 'invalid_grant']);
    expect(await me(token)).toEqual([200, undefined]);
  });

  it.each<[string, Fields]>([
    ['another verifier (RFC 7636 §4.6)', { code_verifier: unique() }],
    ['the challenge as verifier: no plain downgrade', { code_verifier: challengeOf(VERIFIER) }],
    ['a short verifier (RFC 7636 §4.1)', { code_verifier: 'short' }],
    ['another redirect URI (RFC 6749 §4.1.3)', { redirect_uri: 'https://app.example/callback/' }],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example' }],
  ])('is burnt by %s', async (_, changes) => {
    const code = await app.code(service, bob);
    expect(refusal(await app.exchange(code, changes))).toEqual([400, 'invalid_grant']);
    expect(refusal(await app.exchange(code))).toEqual([400, 'invalid_grant']);
  });

  it('that was asked for with a loopback port wants that port again (RFC 8252 §7.3)', async () => {
    const native = await ThirdParty.register(ada, 'http://127.0.0.1/cb');
    const asked = { redirect_uri: 'http://127.0.0.1:5555/cb' };
    const code = await native.code(service, bob, asked);
    expect(refusal(await native.exchange(code))).toEqual([400, 'invalid_grant']);
    ok(await native.exchange(await native.code(service, bob, asked), asked), 200);
  });

  it('works once, and comes twice: all that it gave is dead (RFC 6749 §4.1.2, §10.5)', async () => {
    const code = await app.code(service, bob);
    const first = ok(await app.exchange(code), 200);
    const second = ok(await app.refresh(first.refresh_token), 200);
    expect(await me(first.access_token)).toEqual([200, undefined]);
    expect(refusal(await app.exchange(code))).toEqual([400, 'invalid_grant']);
    for (const token of [first.access_token, second.access_token]) {
      expect(await me(token)).toEqual([401, 'revoked']);
    }
    expect(refusal(await app.refresh(second.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(ok(await app.post('introspect', { token: second.refresh_token }), 200)).toEqual({ active: false });
  });

  it('that comes twice kills nothing of another sign-in of the same person', async () => {
    const other = await app.tokens(service, bob);
    const code = await app.code(service, bob);
    ok(await app.exchange(code), 200);
    expect((await app.exchange(code, { code_verifier: unique() })).status).toBe(400);
    expect(await me(other.access_token)).toEqual([200, undefined]);
  });

  it('gives tokens to one of ten who come at once', async () => {
    for (let round = 0; round < 3; round++) {
      const code = await app.code(service, bob);
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.exchange(code)));
      const outcomes = answers.map(({ status, body }) => body.error ?? status).sort();
      expect(outcomes).toEqual([200, ...Array<string>(9).fill('invalid_grant')]);
    }
  });

  it('is worth nothing when the person has taken back what it stands for', async () => {
    const code = await app.code(service, bob);
    const path = `/v1/account/authorized-apps/${app.clientId}`;
    expect((await service.http.delete(path, bob.token)).status).toBe(204);
    expect(refusal(await app.exchange(code))).toEqual([400, 'invalid_grant']);
  });

  it.each(['client_credentials', 'password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', 'x'])(
    'or a refresh token is the only grant, not %s (RFC 6749 §5.2)',
    async (grantType) => {
      const fields = { grant_type: grantType, username: 'ada', password: 'x', scope: 'sessions:read' };
      expect(refusal(await app.post('token', fields))).toEqual([400, 'unsupported_grant_type']);
    },
  );
});
