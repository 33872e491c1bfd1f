import { readDocument } from '../../support/conformance';
import { Service } from '../../support/service';

const PATH = '/external/v1/openapi.json';

describe('GET /openapi.json', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('is the committed document with this service as its server, for anybody', async () => {
    const answer = await service.http.get(PATH);
    expect(answer.status).toBe(200);
    const { servers, ...served } = answer.body;
    const { servers: _, ...committed } = readDocument();
    expect(served).toEqual(committed);
    expect(servers).toEqual([{ url: `${service.url}/external/v1`, description: expect.any(String) }]);
  });

  it('is cached by its weak ETag, and readable from any origin', async () => {
    const { headers } = await service.http.get(PATH, undefined, { headers: { Origin: 'https://app.test' } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toContain('Authorization');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const etag = headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);

    const again = await service.http.get(PATH, undefined, { headers: { 'If-None-Match': etag } });
    expect(again).toMatchObject({ status: 304, body: null });
    expect(again.headers.get('etag')).toBe(etag);
    const other = await service.http.get(PATH, undefined, { headers: { 'If-None-Match': 'W/"other"' } });
    expect(other.status).toBe(200);
  });

  it('does not look at credentials', async () => {
    const answer = await service.http.get(PATH, 'svc_pat_nonsense');
    expect(answer.status).toBe(200);
    expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
  });

  it('mirrors HEAD, and refuses what it does not take', async () => {
    expect(await service.http.request('HEAD', PATH)).toMatchObject({ status: 200, body: null });
    expect((await service.http.post(PATH, undefined, {})).status).toBe(405);
    expect((await service.http.get(`${PATH}?format=yaml`)).status).toBe(400);
    const html = { headers: { Accept: 'text/html' } };
    expect((await service.http.get(PATH, undefined, html)).status).toBe(406);
  });
});
