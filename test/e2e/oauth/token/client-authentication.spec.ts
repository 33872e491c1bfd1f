import { AccountDevice, ok } from '../../../support/device/foreign-device';
import type { Answer } from '../../../support/http-client';
import { basic, encode, OAUTH, postForm, ThirdParty, type Fields } from '../../../support/oauth/third-party';
import { passTime } from '../../../support/pass-time';
import { Service } from '../../../support/service';

const ENDPOINTS = ['token', 'revoke', 'introspect'] as const;
const WRONG = `svc_ocs_${'A'.repeat(36)}`;

describe('client authentication (RFC 6749 §2.3)', () => {
  let service: Service;
  let ada: AccountDevice;
  let app: ThirdParty;
  const post = (endpoint: string, fields: Fields, headers: Record<string, string> = {}) =>
    postForm(service.http, `${OAUTH}/${endpoint}`, encode(fields), headers);
  /** A call that only the client's credentials can spoil. */
  const call = (endpoint: string, fields: Fields = {}, headers: Record<string, string> = {}) =>
    post(endpoint, { token: 'nothing', grant_type: 'refresh_token', refresh_token: 'x', ...fields }, headers);
  const isServed = (answer: Answer, endpoint: string) =>
    expect([answer.status, answer.body.error]).toEqual(
      endpoint === 'token' ? [400, 'invalid_grant'] : [200, undefined],
    );
  const isRefused = (answer: Answer, challenge: string | null) => {
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication failed.',
    });
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
  };
  const CHALLENGE = 'Basic realm="external-api"';

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });

  describe.each(ENDPOINTS)('at %s', (endpoint) => {
    it('is by HTTP Basic, form-encoded or raw (§2.3.1)', async () => {
      isServed(await call(endpoint, {}, app.basic), endpoint);
      const encoded = [app.clientId, app.clientSecret].map((part) => part.replace(/_/g, '%5F'));
      isServed(await call(endpoint, {}, { Authorization: basic(encoded[0]!, encoded[1]!) }), endpoint);
      isServed(await call(endpoint, { client_id: app.clientId }, app.basic), endpoint);
    });

    it('is by body parameters (§2.3.1)', async () => {
      const fields = { client_id: app.clientId, client_secret: app.clientSecret };
      isServed(await call(endpoint, fields), endpoint);
    });

    it('is never by both at once (§2.3)', async () => {
      const fields = { client_id: app.clientId, client_secret: app.clientSecret };
      const answer = await call(endpoint, fields, app.basic);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    });

    it('is never of two clients', async () => {
      const other = await ThirdParty.register(ada);
      const answer = await call(endpoint, { client_id: other.clientId }, app.basic);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    });

    it('is never in the query (§2.3.1)', async () => {
      const query = encode({ client_id: app.clientId, client_secret: app.clientSecret });
      isRefused(await call(`${endpoint}?${query}`), null);
    });

    it('fails with a challenge where the header was used, without one elsewhere (§5.2)', async () => {
      isRefused(await call(endpoint), null);
      isRefused(await call(endpoint, { client_id: app.clientId }), null);
      isRefused(await call(endpoint, { client_id: app.clientId, client_secret: WRONG }), null);
      for (const value of [basic(app.clientId, WRONG), 'Basic', 'Basic !', `Bearer ${ada.token}`]) {
        isRefused(await call(endpoint, {}, { Authorization: value }), CHALLENGE);
      }
    });

    it('fails alike for an unknown client and a wrong secret (§5.2)', async () => {
      const other = await ThirdParty.register(ada);
      const right = ok(await service.http.get(`/v1/developer/apps/${app.clientId}`, ada.token), 200).data;
      expect(right.secrets).toHaveLength(1);
      for (const [id, secret] of [
        [app.clientId, WRONG],
        [app.clientId, other.clientSecret],
        [app.clientId, app.clientSecret.toLowerCase()],
        [app.clientId, ''],
        [`svc_oapp_${'A'.repeat(36)}`, app.clientSecret],
        ['', app.clientSecret],
        ['nonsense\0', 'nonsense\0'],
      ]) {
        isRefused(await call(endpoint, {}, { Authorization: basic(id!, secret!) }), CHALLENGE);
      }
    });

    it('fails while the app is disabled, and when it is deleted', async () => {
      const at = `/v1/developer/apps/${app.clientId}`;
      ok(await service.http.post(`${at}/disable`, ada.token, {}), 200);
      isRefused(await call(endpoint, {}, app.basic), CHALLENGE);
      ok(await service.http.post(`${at}/enable`, ada.token, {}), 200);
      isServed(await call(endpoint, {}, app.basic), endpoint);
      expect((await service.http.delete(at, ada.token)).status).toBe(204);
      isRefused(await call(endpoint, {}, app.basic), CHALLENGE);
    });

    it('names a repeated parameter (§3.2)', async () => {
      for (const name of ['client_id', 'client_secret', 'token', 'grant_type']) {
        const answer = await call(endpoint, { [name]: ['x', 'x'] });
        expect(answer.body).toMatchObject({ error: 'invalid_request' });
        expect(answer.body.error_description).toContain(name);
      }
    });
  });

  it('that fails is limited per client and address; a right secret is served even then', async () => {
    const wrong = { client_id: app.clientId, client_secret: WRONG };
    for (let i = 0; i < 30; i++) isRefused(await call('token', wrong), null);
    for (const endpoint of ENDPOINTS) {
      const answer = await call(endpoint, wrong);
      expect(answer.status).toBe(429);
      expect(answer.body).toEqual({
        error: 'temporarily_unavailable',
        error_description: expect.any(String),
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      isServed(await call(endpoint, {}, app.basic), endpoint);
    }
    const other = await ThirdParty.register(ada);
    isRefused(await call('token', { client_id: other.clientId, client_secret: WRONG }), null);
    await passTime(service, 60_000);
    isRefused(await call('token', wrong), null);
  });

  it('is noted with the secret, at most once a minute', async () => {
    const used = async () =>
      ok(await service.http.get(`/v1/developer/apps/${app.clientId}`, ada.token), 200).data.secrets[0].lastUsedAt;
    expect(await used()).toBeNull();
    await call('token', { client_id: app.clientId, client_secret: WRONG });
    expect(await used()).toBeNull();
    await call('token', {}, app.basic);
    const first = await used();
    expect(first).toEqual(expect.any(Number));
    service.advance(59_000);
    await call('token', {}, app.basic);
    expect(await used()).toBe(first);
    service.advance(2_000);
    await call('token', {}, app.basic);
    expect(await used()).toBeGreaterThan(first);
  });
});
