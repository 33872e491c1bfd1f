import { ForeignAccountDevice } from '../../../support/device/foreign-device';
import { encodeForm, OAUTH_PATH, postForm, ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

describe('the bodies of OAuth endpoints (RFC 6749 §3.2, §4.1.3)', () => {
  let service: Service;
  let app: ThirdPartyApp;
  const send = (raw: string | Uint8Array, type: string | null, endpoint = 'token', headers: object = {}) =>
    service.http.request('POST', `${OAUTH_PATH}/${endpoint}`, {
      raw,
      headers: { ...app.basicHeaders, ...(type !== null && { 'Content-Type': type }), ...headers },
    });

  beforeAll(async () => {
    service = await Service.start();
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  it.each(['token', 'revoke', 'introspect'])('must be forms, not JSON: %s', async (endpoint) => {
    const json = JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x', token: 'x' });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const httpResponse = await send(json, type, endpoint);
      expect([httpResponse.status, httpResponse.body.error]).toEqual([400, 'invalid_request']);
      expect(httpResponse.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it.each([
    FORM_MEDIA_TYPE,
    `${FORM_MEDIA_TYPE}; charset=utf-8`,
    `${FORM_MEDIA_TYPE};charset="UTF-8"`,
    FORM_MEDIA_TYPE.toUpperCase(),
    `${FORM_MEDIA_TYPE};`,
    `${FORM_MEDIA_TYPE}; version=1; charset=utf8`,
  ])('may say %s', async (type) => {
    expect((await send('grant_type=password', type)).body.error).toBe('unsupported_grant_type');
  });

  it('are in UTF-8', async () => {
    expect((await send('grant_type=password', `${FORM_MEDIA_TYPE}; charset=utf-16`)).body.error).toBe(
      'invalid_request',
    );
  });

  it('contain the parameters; the query is ignored', async () => {
    const query = encodeForm({ grant_type: 'refresh_token', refresh_token: 'x' });
    const httpResponse = await send('', FORM_MEDIA_TYPE, `token?${query}`);
    expect(httpResponse.body).toEqual({
      error: 'invalid_request',
      error_description: 'grant_type is required.',
    });
  });

  it('are invalid_request if missing', async () => {
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const httpResponse = await service.http.request('POST', `${OAUTH_PATH}/${endpoint}`, {
        headers: app.basicHeaders,
      });
      expect([httpResponse.status, httpResponse.body.error]).toEqual([400, 'invalid_request']);
    }
  });

  it('may contain unknown parameters, even repeated', async () => {
    const raw = encodeForm({ grant_type: 'refresh_token', refresh_token: 'x', audience: ['a', 'b'] });
    expect((await send(raw, FORM_MEDIA_TYPE)).body.error).toBe('invalid_grant');
  });

  it('are limited to 16 KiB', async () => {
    const httpResponse = await send(`x=${'a'.repeat(16_384)}`, FORM_MEDIA_TYPE);
    expect([httpResponse.status, httpResponse.body.error]).toEqual([413, 'invalid_request']);
    expect((await send(`grant_type=${'a'.repeat(16_000)}`, FORM_MEDIA_TYPE)).body.error).toBe('unsupported_grant_type');
  });

  it('must not be compressed', async () => {
    const httpResponse = await send(Buffer.from('not gzip'), FORM_MEDIA_TYPE, 'token', {
      'Content-Encoding': 'gzip',
    });
    expect([httpResponse.status, httpResponse.body.error]).toEqual([415, 'invalid_request']);
  });

  it('may contain any bytes as a token', async () => {
    for (const value of ['%00', '%FF%FE', '%zz', '__proto__', 'a'.repeat(10_000)]) {
      expect((await send(`grant_type=refresh_token&refresh_token=${value}`, FORM_MEDIA_TYPE)).body.error).toBe(
        'invalid_grant',
      );
      expect((await send(`token=${value}`, FORM_MEDIA_TYPE, 'introspect')).body).toEqual({ active: false });
      expect((await send(`token=${value}`, FORM_MEDIA_TYPE, 'revoke')).status).toBe(200);
    }
  });

  it('require POST', async () => {
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const httpResponse = await service.http.get(`${OAUTH_PATH}/${endpoint}`);
      expect(httpResponse.status).toBe(405);
      expect(httpResponse.headers.get('allow')).toBe('POST');
    }
  });

  it('ignore Accept and are available to any origin', async () => {
    const headers = { ...app.basicHeaders, Accept: 'text/html', Origin: 'https://app.example' };
    const httpResponse = await postForm(service.http, `${OAUTH_PATH}/introspect`, 'token=x', headers);
    expect(httpResponse.body).toEqual({ active: false });
    expect(httpResponse.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await service.http.request('OPTIONS', `${OAUTH_PATH}/token`, {
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('ignore an Idempotency-Key and consume from no bucket', async () => {
    const headers = { ...app.basicHeaders, 'Idempotency-Key': 'same' };
    for (const endpoint of ['introspect', 'revoke', 'introspect']) {
      const httpResponse = await postForm(service.http, `${OAUTH_PATH}/${endpoint}`, 'token=x', headers);
      expect(httpResponse.status).toBe(200);
      for (const name of ['idempotency-replayed', 'x-ratelimit-limit', 'ratelimit']) {
        expect(httpResponse.headers.get(name)).toBeNull();
      }
    }
  });
});
