import { AccountDevice } from '../../../support/device/foreign-device';
import { encode, OAUTH, postForm, ThirdParty } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

const FORM = 'application/x-www-form-urlencoded';

describe('the bodies of OAuth endpoints (RFC 6749 §3.2, §4.1.3)', () => {
  let service: Service;
  let app: ThirdParty;
  const send = (raw: string | Uint8Array, type: string | null, endpoint = 'token', headers: object = {}) =>
    service.http.request('POST', `${OAUTH}/${endpoint}`, {
      raw,
      headers: { ...app.basic, ...(type !== null && { 'Content-Type': type }), ...headers },
    });

  beforeAll(async () => {
    service = await Service.start();
    app = await ThirdParty.register(await AccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  it.each(['token', 'revoke', 'introspect'])('are forms, not JSON: %s', async (endpoint) => {
    const json = JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x', token: 'x' });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await send(json, type, endpoint);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it.each([FORM, `${FORM}; charset=utf-8`, `${FORM};charset="UTF-8"`, FORM.toUpperCase()])(
    'may say %s',
    async (type) => {
      expect((await send('grant_type=password', type)).body.error).toBe('unsupported_grant_type');
    },
  );

  it('are in UTF-8', async () => {
    expect((await send('grant_type=password', `${FORM}; charset=utf-16`)).body.error).toBe('invalid_request');
  });

  it('hold the parameters; those in the query are not looked at', async () => {
    const query = encode({ grant_type: 'refresh_token', refresh_token: 'x' });
    const answer = await send('', FORM, `token?${query}`);
    expect(answer.body).toEqual({ error: 'invalid_request', error_description: 'grant_type is required.' });
  });

  it('that are missing lack a parameter', async () => {
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const answer = await service.http.request('POST', `${OAUTH}/${endpoint}`, { headers: app.basic });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    }
  });

  it('may hold what nobody knows, also twice', async () => {
    const raw = encode({ grant_type: 'refresh_token', refresh_token: 'x', audience: ['a', 'b'] });
    expect((await send(raw, FORM)).body.error).toBe('invalid_grant');
  });

  it('hold 64 KiB at most', async () => {
    const answer = await send(`x=${'a'.repeat(65_536)}`, FORM);
    expect([answer.status, answer.body.error]).toEqual([413, 'invalid_request']);
    expect((await send(`grant_type=${'a'.repeat(60_000)}`, FORM)).body.error).toBe('unsupported_grant_type');
  });

  it('that are broken in their coding are refused', async () => {
    const answer = await send(Buffer.from('not gzip'), FORM, 'token', { 'Content-Encoding': 'gzip' });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  it('may have any bytes where a token is expected', async () => {
    for (const value of ['%00', '%FF%FE', '%zz', '__proto__', 'a'.repeat(10_000)]) {
      expect((await send(`grant_type=refresh_token&refresh_token=${value}`, FORM)).body.error).toBe('invalid_grant');
      expect((await send(`token=${value}`, FORM, 'introspect')).body).toEqual({ active: false });
      expect((await send(`token=${value}`, FORM, 'revoke')).status).toBe(200);
    }
  });

  it('come by POST', async () => {
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const answer = await service.http.get(`${OAUTH}/${endpoint}`);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  it('are answered whatever Accept asks for, and open to scripts of any origin', async () => {
    const headers = { ...app.basic, Accept: 'text/html', Origin: 'https://app.example' };
    const answer = await postForm(service.http, `${OAUTH}/introspect`, 'token=x', headers);
    expect(answer.body).toEqual({ active: false });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await service.http.request('OPTIONS', `${OAUTH}/token`, {
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('mean nothing to an Idempotency-Key, and draw on no bucket', async () => {
    const headers = { ...app.basic, 'Idempotency-Key': 'same' };
    for (const endpoint of ['introspect', 'revoke', 'introspect']) {
      const answer = await postForm(service.http, `${OAUTH}/${endpoint}`, 'token=x', headers);
      expect(answer.status).toBe(200);
      for (const name of ['idempotency-replayed', 'x-ratelimit-limit', 'ratelimit']) {
        expect(answer.headers.get(name)).toBeNull();
      }
    }
  });
});
