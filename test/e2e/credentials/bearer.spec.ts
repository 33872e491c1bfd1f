import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import type { HttpResponse } from '../../support/http-client';
import { Service } from '../../support/service';

const REALM = 'Bearer realm="external-api"';

describe('the Authorization header', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  const me = (authorization?: string, path = '/external/v1/me'): Promise<HttpResponse> =>
    service.http.request('GET', path, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    });
  const refusal = ({ status, body }: HttpResponse) => [status, body.code, body.reason];

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['usage:read']));
  });
  afterAll(() => service?.stop());

  it('accepts the scheme in any case (RFC 9110 §11.1)', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) expectStatus(await me(`${scheme} ${token}`), 200);
  });

  it('accepts several spaces before the token (RFC 6750 §2.1), and no other space', async () => {
    for (const spaces of [' ', '  ', '     ']) {
      expectStatus(await me(`Bearer${spaces}${token}`), 200);
      expectStatus(await me(`Bearer${spaces}${ada.token}`, '/v1/account'), 200);
    }
    expect(refusal(await me(`Bearer\t${token}`))).toEqual([401, 'invalid_token', 'malformed']);
  });

  it('with several spaces opens an event stream, which ends with the token', async () => {
    const { id, token: streamToken } = await ada.createToken(['sessions:read']);
    const headers = { Authorization: `Bearer   ${streamToken}` };
    const stream = await EventStreamClient.open(`${service.url}/external/v1/events`, '', { headers });
    expect(stream.opened).not.toBeNull();
    await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token);
    await stream.ended;
  });

  it('is missing_token if absent, with a challenge without an error', async () => {
    const httpResponse = await me();
    expect(refusal(httpResponse)).toEqual([401, 'missing_token', undefined]);
    expect(httpResponse.headers.get('www-authenticate')).toBe(REALM);
  });

  it.each(['Basic dXNlcjpwYXNz', 'Digest x', 'Bearerx', 'token abc'])(
    'is missing_token with another scheme: %s',
    async (value) => {
      const httpResponse = await me(value);
      expect(refusal(httpResponse)).toEqual([401, 'missing_token', undefined]);
      expect(httpResponse.headers.get('www-authenticate')).toBe(REALM);
    },
  );

  it('is 400 if repeated, on every route that requires a credential', async () => {
    const basic = `Basic ${Buffer.from('a:b').toString('base64')}`;
    const twice = async (method: string, path: string, values: string[]) => {
      const call = request(service.url + path, { method, headers: { Authorization: values } });
      const [response] = (await once(call.end(), 'response')) as [IncomingMessage];
      return { status: response.statusCode, body: (await json(response)) as Record<string, unknown> };
    };
    const errors = [expect.objectContaining({ in: 'header', path: '/Authorization', code: 'repeated_header' })];
    for (const values of [
      [`Bearer ${token}`, `Bearer ${token}`],
      [`Bearer ${token}`, basic],
      [basic, `Bearer ${token}`],
    ]) {
      for (const path of ['/external/v1/me', '/v1/account']) {
        const { status, body } = await twice('GET', path, values);
        expect([status, body.code, body.errors]).toEqual([400, 'invalid_request', errors]);
      }
    }
    const app = await twice('POST', '/external/v1/oauth/introspect', [basic, basic]);
    expect([app.status, app.body.error]).toEqual([400, 'invalid_request']);
  });

  const broken: [string, () => string][] = [
    ['nothing', () => 'Bearer'],
    ['two words', () => `Bearer ${token} ${token}`],
    ['an unknown prefix', () => `Bearer svc_xyz_${token.slice(8)}`],
    ['no prefix', () => `Bearer ${token.slice(8)}`],
    ['other letters in its prefix', () => `Bearer SVC_PAT_${token.slice(8)}`],
    ['a character too few', () => `Bearer ${token.slice(0, -1)}`],
    ['a character too many', () => `Bearer ${token}0`],
    ['another last character', () => `Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`],
    ['another first character', () => `Bearer svc_pat_${token[8] === 'A' ? 'B' : 'A'}${token.slice(9)}`],
    ['a character out of the alphabet', () => `Bearer ${token.slice(0, -1)}-`],
    ['a kilobyte', () => `Bearer svc_pat_${'A'.repeat(1024)}`],
  ];
  it.each(broken)('with %s is malformed', async (_, make) => {
    const httpResponse = await me(make());
    expect(refusal(httpResponse)).toEqual([401, 'invalid_token', 'malformed']);
    const challenge = httpResponse.headers.get('www-authenticate');
    expect(challenge).toMatch(/^Bearer realm="external-api", error="invalid_token"(, error_description="[^"]+")?$/);
  });

  it('is unknown with a well-formed token that was never issued', async () => {
    // 30 × A and its CRC-32 in base62.
    const httpResponse = await me(`Bearer svc_pat_${'A'.repeat(30)}${checksumOfThirtyAs()}`);
    expect(refusal(httpResponse)).toEqual([401, 'invalid_token', 'unknown']);
  });

  it('is unknown with a device token in the External API and with a PAT in the device API', async () => {
    expect(refusal(await me(`Bearer ${ada.token}`))).toEqual([401, 'invalid_token', 'unknown']);
    expect(refusal(await me(`Bearer ${token}`, '/v1/account'))).toEqual([401, 'invalid_token', 'unknown']);
    expect(refusal(await me(`Bearer ${token}`, '/v1/sessions'))).toEqual([401, 'invalid_token', 'unknown']);
  });

  it('is the only place for a token; one in the query string is ignored', async () => {
    expect(refusal(await me(undefined, `/external/v1/me?access_token=${token}`))).toEqual([
      401,
      'missing_token',
      undefined,
    ]);
    const both = await me(`Bearer ${token}`, `/external/v1/me?access_token=${token}`);
    expect(both.status).toBe(400);
    expect(both.body.errors).toEqual([
      expect.objectContaining({ in: 'query', path: '/access_token', code: 'unknown_parameter' }),
    ]);
    expect(both.headers.get('x-ratelimit-limit')).toBe('600');
    expect(JSON.stringify(both.body)).not.toContain(token);
    const bad = await me(`Bearer ${token}0`, `/external/v1/me?access_token=${token}`);
    expect(refusal(bad)).toEqual([401, 'invalid_token', 'malformed']);
  });

  it('is insufficient_scope without the scope of the path, and names the required scopes', async () => {
    const httpResponse = await me(`Bearer ${token}`, '/external/v1/sessions');
    expect(httpResponse.status).toBe(403);
    expect(httpResponse.body).toMatchObject({ code: 'insufficient_scope', required: ['sessions:read'] });
    expect(httpResponse.headers.get('www-authenticate')).toBe(
      `${REALM}, error="insufficient_scope", scope="sessions:read"`,
    );
  });
});

function checksumOfThirtyAs(): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let crc = 0xffffffff;
  for (let i = 0; i < 30; i++) {
    crc ^= 'A'.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let value = (crc ^ 0xffffffff) >>> 0;
  let text = '';
  for (let i = 0; i < 6; i++, value = Math.floor(value / 62)) text = alphabet[value % 62] + text;
  return text;
}
