import { readTableDigests, findTablesContaining } from '../../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import type { HttpResponse } from '../../../support/http-client';
import {
  CODE_VERIFIER,
  computeCodeChallenge,
  ThirdPartyApp,
  createRandomText,
  type OAuthFormFields,
} from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

describe('an authorization code', () => {
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

  it('returns exactly five members that must not be cached (RFC 6749 §5.1)', async () => {
    const httpResponse = await app.exchangeCode(
      await app.obtainCode(service, bob, { scope: 'usage:read sessions:read' }),
    );
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.body).toEqual({
      access_token: expect.stringMatching(/^svc_oat_[0-9A-Za-z]{36}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^svc_ort_[0-9A-Za-z]{36}$/),
      scope: 'usage:read sessions:read',
    });
    expect(httpResponse.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(httpResponse.headers.get('pragma')).toBe('no-cache');
  });

  it('is stored as a hash, like its tokens', async () => {
    const code = await app.obtainCode(service, bob);
    expect(await findTablesContaining(service, code)).toEqual([]);
    const tokens = expectStatus(await app.exchangeCode(code), 200);
    for (const secret of [tokens.access_token, tokens.refresh_token]) {
      expect(await findTablesContaining(service, secret)).toEqual([]);
      expect(await findTablesContaining(service, secret.slice(8))).toEqual([]);
    }
    expect(service.logs.join('')).not.toContain(code);
    expect(service.logs.join('')).not.toContain(tokens.access_token.slice(8));
  });

  it.each<[string, OAuthFormFields]>([
    ['grant_type', { grant_type: null }],
    ['code', { code: null }],
    ['code', { code: '' }],
    ['redirect_uri', { redirect_uri: null }],
    ['code_verifier (RFC 7636 §4.5)', { code_verifier: null }],
    ['code_verifier', { code_verifier: '' }],
    ['code', { code: ['a', 'a'] }],
    ['redirect_uri', { redirect_uri: ['a', 'a'] }],
    ['code_verifier', { code_verifier: ['a', 'a'] }],
  ])('requires %s exactly once and stays valid otherwise (RFC 6749 §4.1.3, §5.2)', async (name, changes) => {
    const code = await app.obtainCode(service, bob);
    const httpResponse = await app.exchangeCode(code, changes);
    expect(refusal(httpResponse)).toEqual([400, 'invalid_request']);
    expect(httpResponse.body.error_description).toContain(name.split(' ')[0]);
    expectStatus(await app.exchangeCode(code), 200);
  });

  it('expires after 60 seconds (RFC 6749 §4.1.2)', async () => {
    const good = await app.obtainCode(service, bob);
    service.advanceClock(59_000);
    expectStatus(await app.exchangeCode(good), 200);
    const late = await app.obtainCode(service, bob);
    service.advanceClock(60_000);
    expect(refusal(await app.exchangeCode(late))).toEqual([400, 'invalid_grant']);
  });

  it("is another client's to no use, and stays good for its own (RFC 6749 §4.1.3)", async () => {
    const other = await ThirdPartyApp.register(ada);
    const code = await app.obtainCode(service, bob);
    const image = await readTableDigests(service);
    const tried = await other.exchangeCode(code);
    expect(refusal(tried)).toEqual([400, 'invalid_grant']);
    const after = await readTableDigests(service);
    // Only the last use of the other app's secret has changed.
    expect({ ...after, developer_app_secrets: image.developer_app_secrets }).toEqual(image);
    const { access_token: token } = expectStatus(await app.exchangeCode(code), 200);
    expect(refusal(await other.exchangeCode(code))).toEqual([400, 'invalid_grant']);
    expect(await me(token)).toEqual([200, undefined]);
  });

  it.each<[string, OAuthFormFields]>([
    ['another verifier (RFC 7636 §4.6)', { code_verifier: createRandomText() }],
    ['the challenge as verifier: no plain downgrade', { code_verifier: computeCodeChallenge(CODE_VERIFIER) }],
    ['a short verifier (RFC 7636 §4.1)', { code_verifier: 'short' }],
    ['another redirect URI (RFC 6749 §4.1.3)', { redirect_uri: 'https://app.example/callback/' }],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example' }],
  ])('is consumed by %s', async (_, changes) => {
    const code = await app.obtainCode(service, bob);
    expect(refusal(await app.exchangeCode(code, changes))).toEqual([400, 'invalid_grant']);
    expect(refusal(await app.exchangeCode(code))).toEqual([400, 'invalid_grant']);
  });

  it('requires the same loopback port as the request (RFC 8252 §7.3)', async () => {
    const native = await ThirdPartyApp.register(ada, 'http://127.0.0.1/cb');
    const asked = { redirect_uri: 'http://127.0.0.1:5555/cb' };
    const code = await native.obtainCode(service, bob, asked);
    expect(refusal(await native.exchangeCode(code))).toEqual([400, 'invalid_grant']);
    expectStatus(await native.exchangeCode(await native.obtainCode(service, bob, asked), asked), 200);
  });

  it('revokes all of its tokens when it is used twice (RFC 6749 §4.1.2, §10.5)', async () => {
    const code = await app.obtainCode(service, bob);
    const first = expectStatus(await app.exchangeCode(code), 200);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    expect(await me(first.access_token)).toEqual([200, undefined]);
    expect(refusal(await app.exchangeCode(code))).toEqual([400, 'invalid_grant']);
    for (const token of [first.access_token, second.access_token]) {
      expect(await me(token)).toEqual([401, 'revoked']);
    }
    expect(refusal(await app.refreshTokens(second.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(expectStatus(await app.postToEndpoint('introspect', { token: second.refresh_token }), 200)).toEqual({
      active: false,
    });
  });

  it('doesn’t affect other sign-ins of the person when it is used twice', async () => {
    const other = await app.obtainTokens(service, bob);
    const code = await app.obtainCode(service, bob);
    expectStatus(await app.exchangeCode(code), 200);
    expect((await app.exchangeCode(code, { code_verifier: createRandomText() })).status).toBe(400);
    expect(await me(other.access_token)).toEqual([200, undefined]);
  });

  it('returns tokens to one of ten concurrent requests', async () => {
    for (let round = 0; round < 3; round++) {
      const code = await app.obtainCode(service, bob);
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.exchangeCode(code)));
      const outcomes = answers.map(({ status, body }) => body.error ?? status).sort();
      expect(outcomes).toEqual([200, ...Array<string>(9).fill('invalid_grant')]);
    }
  });

  it('is rejected after the authorization was revoked', async () => {
    const code = await app.obtainCode(service, bob);
    const path = `/v1/account/authorized-apps/${app.clientId}`;
    expect((await service.http.delete(path, bob.token)).status).toBe(204);
    expect(refusal(await app.exchangeCode(code))).toEqual([400, 'invalid_grant']);
  });

  it.each(['client_credentials', 'password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', 'x'])(
    'or a refresh token is the only grant, not %s (RFC 6749 §5.2)',
    async (grantType) => {
      const fields = { grant_type: grantType, username: 'ada', password: 'x', scope: 'sessions:read' };
      expect(refusal(await app.postToEndpoint('token', fields))).toEqual([400, 'unsupported_grant_type']);
    },
  );
});
