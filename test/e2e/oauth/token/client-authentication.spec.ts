import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import type { HttpResponse } from '../../../support/http-client';
import {
  createBasicAuthorization,
  encodeForm,
  OAUTH_PATH,
  postForm,
  ThirdPartyApp,
  type OAuthFormFields,
} from '../../../support/oauth/third-party-app';
import { advanceTime } from '../../../support/advance-time';
import { Service } from '../../../support/service';
import { waitFor } from '../../../support/wait-for';

const ENDPOINTS = ['token', 'revoke', 'introspect'] as const;
const WRONG_SECRET = `svc_ocs_${'A'.repeat(36)}`;

describe('client authentication (RFC 6749 §2.3)', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  /** Address of the test, because failures that name no app consume from its bucket. */
  let address: string;
  let serial = 0;
  const post = (endpoint: string, oAuthFormFields: OAuthFormFields, headers: Record<string, string> = {}) =>
    postForm(service.http, `${OAUTH_PATH}/${endpoint}`, encodeForm(oAuthFormFields), {
      'X-Forwarded-For': address,
      ...headers,
    });
  /** A call that fails only because of the client's credentials. */
  const call = (endpoint: string, oAuthFormFields: OAuthFormFields = {}, headers: Record<string, string> = {}) =>
    post(endpoint, { token: 'nothing', grant_type: 'refresh_token', refresh_token: 'x', ...oAuthFormFields }, headers);
  const isServed = (httpResponse: HttpResponse, endpoint: string) =>
    expect([httpResponse.status, httpResponse.body.error]).toEqual(
      endpoint === 'token' ? [400, 'invalid_grant'] : [200, undefined],
    );
  const isRefused = (httpResponse: HttpResponse, challenge: string | null) => {
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication failed.',
    });
    expect(httpResponse.headers.get('www-authenticate')).toBe(challenge);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(httpResponse.headers.get('pragma')).toBe('no-cache');
  };
  const CHALLENGE = 'Basic realm="external-api"';

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    address = `203.0.113.${++serial}`;
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });

  describe.each(ENDPOINTS)('at %s', (endpoint) => {
    it('accepts HTTP Basic, form-encoded or raw (§2.3.1)', async () => {
      isServed(await call(endpoint, {}, app.basicHeaders), endpoint);
      const encoded = [app.clientId, app.clientSecret].map((part) => part.replace(/_/g, '%5F'));
      isServed(
        await call(endpoint, {}, { Authorization: createBasicAuthorization(encoded[0]!, encoded[1]!) }),
        endpoint,
      );
      isServed(await call(endpoint, { client_id: app.clientId }, app.basicHeaders), endpoint);
    });

    it('accepts body parameters (§2.3.1)', async () => {
      const fields = { client_id: app.clientId, client_secret: app.clientSecret };
      isServed(await call(endpoint, fields), endpoint);
    });

    it('rejects both at once (§2.3)', async () => {
      const fields = { client_id: app.clientId, client_secret: app.clientSecret };
      const httpResponse = await call(endpoint, fields, app.basicHeaders);
      expect([httpResponse.status, httpResponse.body.error]).toEqual([400, 'invalid_request']);
    });

    it('rejects two clients', async () => {
      const other = await ThirdPartyApp.register(ada);
      const httpResponse = await call(endpoint, { client_id: other.clientId }, app.basicHeaders);
      expect([httpResponse.status, httpResponse.body.error]).toEqual([400, 'invalid_request']);
    });

    it('ignores the query (§2.3.1)', async () => {
      const query = encodeForm({ client_id: app.clientId, client_secret: app.clientSecret });
      isRefused(await call(`${endpoint}?${query}`), null);
    });

    it('fails with a challenge only if the header was used (§5.2)', async () => {
      isRefused(await call(endpoint), null);
      isRefused(await call(endpoint, { client_id: app.clientId }), null);
      isRefused(await call(endpoint, { client_id: app.clientId, client_secret: WRONG_SECRET }), null);
      for (const value of [
        createBasicAuthorization(app.clientId, WRONG_SECRET),
        'Basic',
        'Basic !',
        `Bearer ${ada.token}`,
      ]) {
        isRefused(await call(endpoint, {}, { Authorization: value }), CHALLENGE);
      }
    });

    it('fails equally for an unknown client and a wrong secret (§5.2)', async () => {
      const other = await ThirdPartyApp.register(ada);
      const right = expectStatus(await service.http.get(`/v1/developer/apps/${app.clientId}`, ada.token), 200).data;
      expect(right.secrets).toHaveLength(1);
      for (const [id, secret] of [
        [app.clientId, WRONG_SECRET],
        [app.clientId, other.clientSecret],
        [app.clientId, app.clientSecret.toLowerCase()],
        [app.clientId, ''],
        [`svc_oapp_${'A'.repeat(36)}`, app.clientSecret],
        ['', app.clientSecret],
        ['nonsense\0', 'nonsense\0'],
      ]) {
        isRefused(await call(endpoint, {}, { Authorization: createBasicAuthorization(id!, secret!) }), CHALLENGE);
      }
    });

    it('fails while the app is disabled, and when it is deleted', async () => {
      const at = `/v1/developer/apps/${app.clientId}`;
      expectStatus(await service.http.post(`${at}/disable`, ada.token, {}), 200);
      isRefused(await call(endpoint, {}, app.basicHeaders), CHALLENGE);
      expectStatus(await service.http.post(`${at}/enable`, ada.token, {}), 200);
      isServed(await call(endpoint, {}, app.basicHeaders), endpoint);
      expect((await service.http.delete(at, ada.token)).status).toBe(204);
      isRefused(await call(endpoint, {}, app.basicHeaders), CHALLENGE);
    });

    it('reports a repeated parameter (§3.2)', async () => {
      for (const name of ['client_id', 'client_secret', 'token', 'grant_type']) {
        const httpResponse = await call(endpoint, { [name]: ['x', 'x'] });
        expect(httpResponse.body).toMatchObject({ error: 'invalid_request' });
        expect(httpResponse.body.error_description).toContain(name);
      }
    });
  });

  it('limits failures per client and address, but always accepts the right secret', async () => {
    const wrong = { client_id: app.clientId, client_secret: WRONG_SECRET };
    for (let i = 0; i < 30; i++) isRefused(await call('token', wrong), null);
    for (const endpoint of ENDPOINTS) {
      const httpResponse = await call(endpoint, wrong);
      expect(httpResponse.status).toBe(429);
      expect(httpResponse.body).toEqual({
        error: 'temporarily_unavailable',
        error_description: expect.any(String),
      });
      expect(Number(httpResponse.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(httpResponse.headers.get('cache-control')).toBe('no-store');
      isServed(await call(endpoint, {}, app.basicHeaders), endpoint);
    }
    const other = await ThirdPartyApp.register(ada);
    isRefused(await call('token', { client_id: other.clientId, client_secret: WRONG_SECRET }), null);
    await advanceTime(service, 60_000);
    isRefused(await call('token', wrong), null);
  });

  it('records the secret’s last use at most once a minute', async () => {
    const used = async () =>
      expectStatus(await service.http.get(`/v1/developer/apps/${app.clientId}`, ada.token), 200).data.secrets[0]
        .lastUsedAt;
    expect(await used()).toBeNull();
    await call('token', { client_id: app.clientId, client_secret: WRONG_SECRET });
    expect(await used()).toBeNull();
    await call('token', {}, app.basicHeaders);
    await waitFor(async () => expect(await used()).toEqual(expect.any(Number)));
    const first = await used();
    service.advanceClock(59_000);
    await call('token', {}, app.basicHeaders);
    expect(await used()).toBe(first);
    service.advanceClock(2_000);
    await call('token', {}, app.basicHeaders);
    await waitFor(async () => expect(await used()).toBeGreaterThan(first));
  });
});
