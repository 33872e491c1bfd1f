import { readDeviceApiDocument, readOpenApiDocument, type OpenApiNode } from '../../support/conformance';
import { readSocketDocument } from '../../support/device/socket-document';
import { Service } from '../../support/service';

const OPENAPI_PATH = '/external/v1/openapi.json';

describe('GET /openapi.json', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('is the committed document with this service as its server, without a credential', async () => {
    const httpResponse = await service.http.get(OPENAPI_PATH);
    expect(httpResponse.status).toBe(200);
    const { servers, ...served } = httpResponse.body;
    const { servers: _, ...committed } = readOpenApiDocument();
    expect(servers).toEqual([{ url: `${service.url}/external/v1`, description: expect.any(String) }]);
    for (const item of Object.values<OpenApiNode>(committed.paths)) {
      if (item.servers) item.servers = [{ url: service.url, description: expect.any(String) }];
    }
    expect(served).toEqual(committed);
  });

  it('is cached by its weak ETag, and readable from any origin', async () => {
    const { headers } = await service.http.get(OPENAPI_PATH, undefined, {
      headers: { Origin: 'https://app.test' },
    });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toContain('Authorization');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const etag = headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);

    const again = await service.http.get(OPENAPI_PATH, undefined, { headers: { 'If-None-Match': etag } });
    expect(again).toMatchObject({ status: 304, body: null });
    expect(again.headers.get('etag')).toBe(etag);
    const other = await service.http.get(OPENAPI_PATH, undefined, {
      headers: { 'If-None-Match': 'W/"other"' },
    });
    expect(other.status).toBe(200);
  });

  it('ignores credentials', async () => {
    const httpResponse = await service.http.get(OPENAPI_PATH, 'svc_pat_nonsense');
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.headers.has('x-ratelimit-limit')).toBe(false);
  });

  it('supports HEAD and rejects unsupported requests', async () => {
    expect(await service.http.request('HEAD', OPENAPI_PATH)).toMatchObject({ status: 200, body: null });
    expect((await service.http.post(OPENAPI_PATH, undefined, {})).status).toBe(405);
    expect((await service.http.get(`${OPENAPI_PATH}?format=yaml`)).status).toBe(400);
    const html = { headers: { Accept: 'text/html' } };
    expect((await service.http.get(OPENAPI_PATH, undefined, html)).status).toBe(406);
  });

  it('has the account and device API beside it, with the host as its server', async () => {
    const { status, headers, body } = await service.http.get('/v1/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const servers = [{ url: service.url, description: 'This service' }];
    expect(body).toEqual({ ...readDeviceApiDocument(), servers });
    const etag = headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    const again = await service.http.get('/v1/openapi.json', 'svc_dev_nonsense', {
      headers: { 'If-None-Match': etag },
    });
    expect(again).toMatchObject({ status: 304, body: null });
  });

  it('has the messages of device sockets beside it, as an AsyncAPI document', async () => {
    const { status, headers, body } = await service.http.get('/v1/asyncapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual(readSocketDocument());
    const again = await service.http.get('/v1/asyncapi.json', undefined, {
      headers: { 'If-None-Match': headers.get('etag')! },
    });
    expect(again).toMatchObject({ status: 304, body: null });
  });
});
