import { gzipSync } from 'node:zlib';
import { ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import { encodeForm, OAUTH_PATH } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

const LIMIT = 16_384;
const FORM = 'application/x-www-form-urlencoded';

describe('a body without a credential', () => {
  let service: Service;
  let serial = 0;
  const send = (path: string, raw: string | Uint8Array, headers: object = {}) =>
    service.http.request('POST', path, {
      raw,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'X-Forwarded-For': `203.0.113.${++serial}`,
        ...headers,
      },
    });

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
  });
  afterAll(() => service?.stop());

  const paths = ['/v1/auth/challenge', '/v1/auth/sign-in', '/v1/accounts', '/v1/pairings', '/console/session'];

  it.each(paths)('holds 200 members and 64 levels at most: %s', async (path) => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"m${i}": 0`).join()}}`;
    expect((await send(path, members(200))).body.errors).toHaveLength(20);
    expect(listViolations(await send(path, members(201)))).toEqual([['body', '', 'too_many_members']]);
    expect(listViolations(await send(path, `{"a": ${'['.repeat(64)}${']'.repeat(64)}}`))).toEqual([
      ['body', '', 'too_deep'],
    ]);
  });

  it.each(paths)('holds 16 KiB at most: %s', async (path) => {
    expect((await send(path, '{}'.padEnd(LIMIT))).status).toBe(400);
    const httpResponse = await send(path, '{}'.padEnd(LIMIT + 1));
    expect([httpResponse.status, httpResponse.body.code]).toEqual([413, 'payload_too_large']);
  });

  it.each(paths)('is not compressed: %s', async (path) => {
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x']) {
      const httpResponse = await send(path, gzipSync('{}'), { 'Content-Encoding': encoding });
      expect([encoding, httpResponse.status, httpResponse.body.code]).toEqual([
        encoding,
        415,
        'unsupported_media_type',
      ]);
    }
    expect((await send(path, '{}', { 'Content-Encoding': 'identity' })).status).toBe(400);
  });

  it('has the same limits for an app’s form', async () => {
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const path = `${OAUTH_PATH}/${endpoint}`;
      const form = { 'Content-Type': FORM };
      const compressed = await send(path, gzipSync('token=x'), { ...form, 'Content-Encoding': 'gzip' });
      expect([compressed.status, compressed.body.error]).toEqual([415, 'invalid_request']);
      const large = await send(path, 'x'.repeat(LIMIT + 1), form);
      expect([large.status, large.body.error]).toEqual([413, 'invalid_request']);
      const fields = (count: number) => encodeForm({ x: Array.from({ length: count }, () => 'y') });
      const many = await send(path, fields(201), form);
      expect([many.status, many.body.error_description]).toEqual([400, 'The form may hold at most 200 parameters.']);
      expect((await send(path, fields(200), form)).body.error).toBe('invalid_client');
    }
  });

  it('may contain the longest valid device request', async () => {
    const device = new ForeignDevice(service.http);
    const body = {
      ...device.keys,
      ...(await device.signChallenge()),
      kind: 'machine',
      name: '💻'.repeat(100),
      platform: '💻'.repeat(64),
    };
    expectStatus(await service.http.post('/v1/pairings', undefined, body), 201);
  });
});
