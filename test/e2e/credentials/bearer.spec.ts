import { AccountDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { Service } from '../../support/service';

const REALM = 'Bearer realm="external-api"';

describe('the Authorization header', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  const me = (authorization?: string, path = '/external/v1/me'): Promise<Answer> =>
    service.http.request('GET', path, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    });
  const refusal = ({ status, body }: Answer) => [status, body.code, body.reason];

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['usage:read']));
  });
  afterAll(() => service?.stop());

  it('takes the scheme in any letters (RFC 9110 §11.1)', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) ok(await me(`${scheme} ${token}`), 200);
  });

  it('that is missing is missing_token, with a challenge that names no error', async () => {
    const answer = await me();
    expect(refusal(answer)).toEqual([401, 'missing_token', undefined]);
    expect(answer.headers.get('www-authenticate')).toBe(REALM);
  });

  it.each(['Basic dXNlcjpwYXNz', 'Digest x', 'Bearerx', 'token abc'])(
    'of another scheme is missing_token: %s',
    async (value) => {
      const answer = await me(value);
      expect(refusal(answer)).toEqual([401, 'missing_token', undefined]);
      expect(answer.headers.get('www-authenticate')).toBe(REALM);
    },
  );

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
    const answer = await me(make());
    expect(refusal(answer)).toEqual([401, 'invalid_token', 'malformed']);
    const challenge = answer.headers.get('www-authenticate');
    expect(challenge).toMatch(/^Bearer realm="external-api", error="invalid_token"(, error_description="[^"]+")?$/);
  });

  it('with a well-formed token that nobody was given is unknown', async () => {
    // 30 × A and the CRC-32 of that, in base62.
    const answer = await me(`Bearer svc_pat_${'A'.repeat(30)}${checksumOfThirtyAs()}`);
    expect(refusal(answer)).toEqual([401, 'invalid_token', 'unknown']);
  });

  it('with a device token is unknown on the External API, as a PAT is on the device paths', async () => {
    expect(refusal(await me(`Bearer ${ada.token}`))).toEqual([401, 'invalid_token', 'unknown']);
    expect(refusal(await me(`Bearer ${token}`, '/v1/account'))).toEqual([401, 'invalid_token', 'unknown']);
    expect(refusal(await me(`Bearer ${token}`, '/v1/sessions'))).toEqual([401, 'invalid_token', 'unknown']);
  });

  it('alone carries the token: one in the query string opens nothing', async () => {
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

  it('without the scope of the path is insufficient_scope, which names what the path asks for', async () => {
    const answer = await me(`Bearer ${token}`, '/external/v1/sessions');
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: 'insufficient_scope', required: ['sessions:read'] });
    expect(answer.headers.get('www-authenticate')).toBe(`${REALM}, error="insufficient_scope", scope="sessions:read"`);
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
