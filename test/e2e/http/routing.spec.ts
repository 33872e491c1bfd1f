import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('routes and methods', () => {
  let service: Service;
  let token: string;
  const SESSION = '/external/v1/sessions/ses_00000000000000000000000000';

  beforeAll(async () => {
    service = await Service.start();
    const ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:read', 'sessions:read', 'sessions:write']));
  });
  afterAll(() => service?.stop());

  it('return a unique request id in header and body of every response', async () => {
    const answers = [
      await service.http.get('/external/v1/me', token),
      await service.http.get('/external/v1/me'),
      await service.http.get('/nowhere'),
      await service.http.get(SESSION, token),
      await service.http.request('OPTIONS', '/external/v1/me'),
      await service.http.get('/health/live'),
      await service.http.request('POST', '/v1/accounts', { raw: '{' }),
    ];
    const ids = answers.map((answer) => answer.headers.get('x-request-id')!);
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { status, body, headers } of answers) {
      if (status >= 400) expect(body.requestId).toBe(headers.get('x-request-id'));
    }
  });

  it('ignore request ids of callers', async () => {
    const forged = 'req_00000000000000000000000000';
    const httpResponse = await service.http.get('/health/live', undefined, {
      headers: { 'X-Request-Id': forged },
    });
    expect(httpResponse.headers.get('x-request-id')).not.toBe(forged);
  });

  it.each([
    '/',
    '/nowhere',
    '/external',
    '/external/v1',
    '/external/v1/',
    '/external/v2/me',
    '/external/v1/me/more',
    '/v1',
    '/external/v1/ME',
    '/External/v1/me',
    '/external/v1/me/',
    '/external/v1//me',
    '//external/v1/me',
    '/external/v1/%6De',
    '/external/v1/m%65',
    '/v1/Auth/challenge',
    '/v1/account/external-tokens/',
    '/health/live/',
    '/docs/',
    '/docs/Errors',
    '/external/v1/oauth/authorize/',
    '/external/v1/OAuth/token',
  ])('return a 404 problem at %s without requiring a credential', async (path) => {
    const httpResponse = await service.http.get(path);
    expect(httpResponse.status).toBe(404);
    expect(httpResponse.headers.get('content-type')).toBe('application/problem+json');
    expect(httpResponse.body).toEqual({
      type: `${service.url}/docs/errors#not_found`,
      title: 'Not found',
      status: 404,
      detail: expect.any(String),
      code: 'not_found',
      requestId: httpResponse.headers.get('x-request-id'),
    });
  });

  it('redirect only browsers from the root to the console', async () => {
    const open = (Accept: string) => service.http.get('/', undefined, { headers: { Accept } });
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
    for (const accept of [browser, 'text/html', 'text/*']) {
      const httpResponse = await open(accept);
      expect([httpResponse.status, httpResponse.headers.get('location')]).toEqual([302, '/console']);
      expect(httpResponse.headers.get('vary')).toMatch(/\bAccept\b/);
    }
    for (const accept of ['*/*', 'application/json', 'application/problem+json', 'application/json, text/html;q=0.5']) {
      const httpResponse = await open(accept);
      expect([accept, httpResponse.status, httpResponse.body.code]).toEqual([accept, 404, 'not_found']);
    }
  });

  it.each(['%', '%zz', '%E0%A4%A', '%ff'])('return 404 for a path that can’t be decoded: %s', async (part) => {
    const httpResponse = await service.http.get(`/external/v1/machines/${part}`, token);
    expect(httpResponse.status).toBe(404);
    expect(httpResponse.body).toMatchObject({ code: 'not_found', detail: 'There is no such path.' });
  });

  it.each([
    ['POST', '/external/v1/me', 'GET, HEAD'],
    ['DELETE', '/external/v1/me', 'GET, HEAD'],
    ['PUT', '/external/v1/machines', 'GET, HEAD'],
    ['PATCH', SESSION, 'GET, HEAD'],
    ['GET', '/external/v1/machines/mch_1/invoke', 'POST'],
    ['HEAD', '/external/v1/machines/mch_1/invoke', 'POST'],
    ['DELETE', '/v1/account/external-tokens', 'POST, GET, HEAD'],
    ['PUT', '/v1/account/external-tokens/tok_1', 'GET, HEAD, DELETE'],
    ['GET', '/v1/auth/challenge', 'POST'],
    ['OPTIONS', '/v1/auth/challenge', 'POST'],
    ['PROPFIND', '/v1/account', 'GET, HEAD'],
  ])('return 405 to %s %s with the allowed methods', async (method, path, allow) => {
    const httpResponse = await service.http.request(method, path);
    expect(httpResponse.status).toBe(405);
    const methods = (text: string | null) => new Set(text?.split(', '));
    const allowed = methods(httpResponse.headers.get('allow'));
    for (const name of methods(allow)) expect(allowed).toContain(name);
    expect(allowed).not.toContain(method);
    if (method !== 'HEAD') expect(httpResponse.body.code).toBe('method_not_allowed');
  });

  it('respond to HEAD with the status and headers of GET', async () => {
    for (const [path, by] of [
      ['/external/v1/machines', token],
      [SESSION, token],
      ['/external/v1/machines', undefined],
      ['/nowhere', undefined],
      ['/health/live', undefined],
    ] as const) {
      const get = await service.http.get(path, by);
      const head = await service.http.request('HEAD', path, { token: by });
      expect(head.status).toBe(get.status);
      expect(head.body).toBeNull();
      for (const name of ['content-type', 'cache-control', 'www-authenticate', 'x-ratelimit-limit', 'vary']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
    }
  });

  it('don’t reveal the software', async () => {
    const { headers } = await service.http.get('/health/live');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});
