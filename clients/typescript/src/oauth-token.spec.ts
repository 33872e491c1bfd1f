import { ExternalApiClient } from './client.ts';
import { oauthToken, readTokenAnswer, type OAuthTokens } from './oauth-token.ts';

const TOKENS = { access_token: 'svc_oat_1', refresh_token: 'svc_ort_1', expires_in: 3_600, scope: 'sessions:read' };
const ID = { 'x-request-id': 'req_1' };

const respond = (status: number, mediaType: string, body: object | string, headers: Record<string, string> = ID) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': mediaType, ...headers },
  });

describe('an answer to a token request', () => {
  it('has tokens', async () => {
    expect(await readTokenAnswer(respond(200, 'application/json', TOKENS))).toEqual(TOKENS);
  });

  it('has the error of the service', async () => {
    const answer = respond(400, 'application/json', { error: 'invalid_grant', error_description: 'It was used.' });
    expect(await readTokenAnswer(answer)).toMatchObject({ code: 'invalid_grant', message: 'It was used.' });
  });

  it('says when to try again', async () => {
    const headers = { ...ID, 'retry-after': '7' };
    const answer = respond(429, 'application/json', { error: 'temporarily_unavailable' }, headers);
    expect(await readTokenAnswer(answer)).toMatchObject({ code: 'temporarily_unavailable', retryAfterSeconds: 7 });
  });

  it.each<[string, Response]>([
    ['a page', respond(200, 'text/html', '<html>')],
    ['JSON without an id', respond(200, 'application/json', TOKENS, {})],
    ['JSON that looks almost right', respond(200, 'application/json', { ...TOKENS, access_token: null })],
    ['JSON of something else', respond(200, 'application/json', 'null')],
    ['no body', new Response(null, { status: 204, headers: ID })],
    ['an error without an id', respond(400, 'application/json', { error: 'invalid_grant' }, {})],
    ['a proxy that asks for a password', respond(407, 'text/html', '')],
  ])('is not of the service: %s', async (_, response) => {
    expect(await readTokenAnswer(response)).toMatchObject({ code: 'unexpected_response', outcome: undefined });
  });
});

it('uses no tokens that could not be stored, and refreshes with the newest refresh token', async () => {
  const used: unknown[] = [];
  const stored: OAuthTokens[] = [];
  const getToken = oauthToken({
    baseUrl: 'https://service.example',
    clientId: 'svc_oapp_1',
    clientSecret: 'svc_ocs_1',
    refreshToken: 'svc_ort_0',
    fetch: (_: string | URL | Request, { body }: RequestInit = {}) => {
      const n = used.push((body as URLSearchParams).get('refresh_token'));
      const tokens = { ...TOKENS, access_token: `svc_oat_${n}`, refresh_token: `svc_ort_${n}` };
      return Promise.resolve(respond(200, 'application/json', tokens));
    },
    onRefresh: (tokens) => {
      if (used.length === 1) throw new Error('The disk is full.');
      stored.push(tokens);
    },
  });
  await expect(getToken({ reason: 'initial' })).rejects.toThrow('The disk is full.');
  expect(await getToken({ reason: 'initial' })).toBe('svc_oat_2');
  expect(stored).toMatchObject([{ accessToken: 'svc_oat_2', refreshToken: 'svc_ort_2' }]);
  expect(used).toEqual(['svc_ort_0', 'svc_ort_1']);
});

describe('a refresh that fails', () => {
  const requests: string[] = [];
  /** Codes of connections that fail, and statuses of a proxy, one for each of the first requests for a token. */
  const call = (...failures: (string | number)[]) => {
    requests.length = 0;
    const fetch = (url: string | URL | Request): Promise<Response> => {
      const { pathname } = new URL(url as string);
      requests.push(pathname.slice('/external/v1'.length));
      if (pathname.endsWith('/me')) return Promise.resolve(respond(200, 'application/json', { data: {} }));
      const failure = failures.shift();
      if (typeof failure === 'string') {
        const cause = Object.assign(new Error('No.'), { code: failure });
        return Promise.reject(new TypeError('fetch failed', { cause }));
      }
      if (failure !== undefined) return Promise.resolve(respond(failure, 'text/html', '', {}));
      return Promise.resolve(respond(200, 'application/json', TOKENS));
    };
    const baseUrl = 'https://service.example';
    const app = { baseUrl, clientId: 'svc_oapp_1', clientSecret: 'svc_ocs_1', refreshToken: 'svc_ort_0' };
    return new ExternalApiClient({ baseUrl, token: oauthToken({ ...app, fetch }), fetch }).me();
  };
  // Without a delay.
  beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
  afterEach(() => jest.restoreAllMocks());

  it('in an outage is repeated like the call that needs the token', async () => {
    await call('ECONNREFUSED', 502, 503, 'ECONNRESET');
    expect(requests).toEqual([...Array<string>(5).fill('/oauth/token'), '/me']);
  });

  it('for good is not repeated, and says that nothing was sent', async () => {
    await expect(call('ENOTFOUND')).rejects.toMatchObject({ code: 'connection_failed', outcome: 'not_delivered' });
    expect(requests).toEqual(['/oauth/token']);
  });

  it('because something else answers does not say that the call may have run, which was not sent', async () => {
    const expected = { code: 'unexpected_response', status: 502, outcome: undefined };
    await expect(call(502, 502, 502, 502, 502)).rejects.toMatchObject(expected);
    expect(requests).toEqual(Array(5).fill('/oauth/token'));
  });
});
