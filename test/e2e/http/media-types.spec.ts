import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const LIMIT = 1_048_576;
const TOKENS = '/v1/account/external-tokens';

describe('media types and sizes', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const body = { name: 'ci', scopes: ['usage:read'] };
  const send = (raw: string | Uint8Array, headers: Record<string, string>) =>
    service.http.request('POST', TOKENS, { token: ada.token, raw, headers });
  const json = { 'Content-Type': 'application/json' };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json;',
    'application/json; charset=utf8',
    'application/json; odata.metadata=minimal',
  ])('accept a body of %s', async (type) => {
    expectStatus(await send(JSON.stringify(body), { 'Content-Type': type }), 201);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/merge-patch+json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json, text/plain',
    'json',
    '',
  ])('reject a body of %j with 415', async (type) => {
    const httpResponse = await send(Buffer.from(JSON.stringify(body)), { 'Content-Type': type });
    expect(httpResponse.status).toBe(415);
    expect(httpResponse.body.code).toBe('unsupported_media_type');
  });

  it('reject an unknown encoding with 415', async () => {
    const httpResponse = await send(JSON.stringify(body), { ...json, 'Content-Encoding': 'zstd-x' });
    expect(httpResponse.status).toBe(415);
  });

  it('reject callers that don’t accept JSON with 406', async () => {
    for (const accept of ['text/html', 'image/*', 'application/xml;q=1', 'application/json;v=1;q=0']) {
      const httpResponse = await service.http.get('/v1/account', ada.token, { headers: { Accept: accept } });
      expect([accept, httpResponse.status, httpResponse.body.code]).toEqual([accept, 406, 'not_acceptable']);
      expect(httpResponse.headers.get('content-type')).toBe('application/problem+json');
    }
    for (const accept of ['*/*', 'application/*', 'application/json', 'text/html, application/json;q=0.1', '']) {
      expectStatus(await service.http.get('/v1/account', ada.token, { headers: { Accept: accept } }), 200);
    }
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json;odata.metadata=minimal;q=0.9, text/html;q=0.1',
    '*/*; charset="utf-8"',
    'text/html, application/json;note="a, b;c" ; q=0.5',
  ])('accept callers of %j, whose parameters have no effect', async (accept) => {
    expectStatus(await service.http.get('/v1/account', ada.token, { headers: { Accept: accept } }), 200);
  });

  it('accept a body of exactly 1 MiB and reject one byte more with 413', async () => {
    const padded = (bytes: number) => JSON.stringify(body).padEnd(bytes, ' ');
    expectStatus(await send(padded(LIMIT), json), 201);
    const httpResponse = await send(padded(LIMIT + 1), json);
    expect(httpResponse.status).toBe(413);
    expect(httpResponse.body.code).toBe('payload_too_large');
    expect(httpResponse.headers.get('content-type')).toBe('application/problem+json');
    expect(httpResponse.headers.get('connection')).toBe('close');
    expectStatus(await send(JSON.stringify(body), json), 201);
  });

  it('count the bytes of chunked and compressed bodies', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(LIMIT * 4, ' '));
    expect((await send(bomb, { ...json, 'Content-Encoding': 'gzip' })).status).toBe(413);
    const small = gzipSync(JSON.stringify(body));
    expectStatus(await send(small, { ...json, 'Content-Encoding': 'gzip' }), 201);

    const chunk = Buffer.alloc(65_536, ' ');
    const chunks = async function* () {
      for (let sent = 0; sent <= LIMIT; sent += chunk.length) yield await Promise.resolve(chunk);
    };
    const response = await fetch(service.url + TOKENS, {
      method: 'POST',
      headers: { ...json, Authorization: `Bearer ${ada.token}` },
      body: chunks(),
      duplex: 'half',
    } as unknown as RequestInit);
    expect(response.status).toBe(413);
    await response.text();
  });

  it('check 406 before 415 before 413 before 400', async () => {
    const accept = { Accept: 'text/html' };
    const text = { 'Content-Type': 'text/plain' };
    const large = 'x'.repeat(LIMIT + 1);
    const statuses = [
      await send(large, { ...accept, ...text }),
      await send(large, text),
      await send(large, json),
      await send('x', json),
    ].map((answer) => answer.status);
    expect(statuses).toEqual([406, 415, 413, 400]);
  });
});
