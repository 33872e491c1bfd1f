import { AccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('routes and methods', () => {
  let service: Service;
  let token: string;
  const SESSION = '/external/v1/sessions/ses_00000000000000000000000000';

  beforeAll(async () => {
    service = await Service.start();
    const ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:read', 'sessions:read', 'sessions:write']));
  });
  afterAll(() => service?.stop());

  it('give every answer a request id of its own, in header and body alike', async () => {
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

  it('take no request id from outside', async () => {
    const forged = 'req_00000000000000000000000000';
    const answer = await service.http.get('/health/live', undefined, { headers: { 'X-Request-Id': forged } });
    expect(answer.headers.get('x-request-id')).not.toBe(forged);
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
  ])('answer 404 problem+json at %s, before any credential is asked for', async (path) => {
    const answer = await service.http.get(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: `${service.url}/docs/errors#not_found`,
      title: 'Not found',
      status: 404,
      detail: expect.any(String),
      code: 'not_found',
      requestId: answer.headers.get('x-request-id'),
    });
  });

  it.each(['%', '%zz', '%E0%A4%A', '%ff'])('answer 404 for a path that does not decode: %s', async (part) => {
    const answer = await service.http.get(`/external/v1/machines/${part}`, token);
    expect(answer.status).toBe(404);
    expect(answer.body.code).toBe('not_found');
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
  ])('answer 405 to %s %s and name the methods that exist', async (method, path, allow) => {
    const answer = await service.http.request(method, path);
    expect(answer.status).toBe(405);
    const methods = (text: string | null) => new Set(text?.split(', '));
    const allowed = methods(answer.headers.get('allow'));
    for (const name of methods(allow)) expect(allowed).toContain(name);
    expect(allowed).not.toContain(method);
    if (method !== 'HEAD') expect(answer.body.code).toBe('method_not_allowed');
  });

  it('answer HEAD with the status and headers of GET, and no body', async () => {
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

  it('do not name the software behind them', async () => {
    const { headers } = await service.http.get('/health/live');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});
