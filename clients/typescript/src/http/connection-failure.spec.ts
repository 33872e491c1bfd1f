import { ExternalApiClient } from '../index.ts';

afterEach(() => jest.restoreAllMocks());

it.each([
  ['ERR_PROXY_SETTING', 1],
  ['ERR_PROXY_AUTHENTICATION', 1],
  ['ERR_PROXY_REFUSED', 1],
  ['ERR_PROXY_UNREACHABLE', 2],
  ['ERR_PROXY_TIMEOUT', 2],
  ['ERR_PROXY_GATEWAY', 2],
  ['ENOTFOUND', 1],
  ['EAI_AGAIN', 2],
  ['ECONNREFUSED', 2],
  ['ETIMEDOUT', 2],
  ['CERT_HAS_EXPIRED', 1],
])('a call that %s prevents was not delivered, and is sent as often as that may help: %i', async (code, attempts) => {
  // Without a delay.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const cause = Object.assign(new Error('No.'), { code });
  const fetch = jest.fn(() => Promise.reject(new TypeError('fetch failed', { cause })));
  const client = new ExternalApiClient({ baseUrl: 'https://service.test', token: 'svc_pat_x', fetch, maxRetries: 1 });
  const expected = { code: 'connection_failed', outcome: 'not_delivered', attempts };
  await expect(client.me()).rejects.toMatchObject(expected);
  expect(fetch).toHaveBeenCalledTimes(attempts);
});

/** Returns a `fetch` whose calls fail with these errors of a socket, one after the other. */
function failWith(...errors: object[]) {
  const fetch = jest.fn<Promise<Response>, []>();
  for (const error of errors) {
    const cause = Object.assign(new Error('No.'), error);
    fetch.mockRejectedValueOnce(new TypeError('fetch failed', { cause }));
  }
  return fetch;
}

it.each([
  ['POST', 'unknown'],
  ['GET', 'not_delivered'],
])('a %s whose connection was lost, and then refused, has the outcome %s', async (method, outcome) => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const fetch = failWith({ code: 'ECONNRESET' }, { code: 'ECONNREFUSED' });
  const client = new ExternalApiClient({ baseUrl: 'https://service.test', token: 'svc_pat_x', fetch, maxRetries: 1 });
  await expect(client.request(method, '/x')).rejects.toMatchObject({ outcome, attempts: 2 });
});

it.each([
  ['EADDRNOTAVAIL', 'read'],
  ['EHOSTUNREACH', 'write'],
  ['ETIMEDOUT', 'read'],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', undefined],
])('a call whose open connection fails with %s may have run, and is sent again with its key', async (code, syscall) => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const fetch = failWith({ code, syscall }, { code, syscall });
  const client = new ExternalApiClient({ baseUrl: 'https://service.test', token: 'svc_pat_x', fetch, maxRetries: 1 });
  const expected = { code: 'connection_failed', outcome: 'unknown', attempts: 2 };
  await expect(client.sessions.send('ses_1', 'Go on.')).rejects.toMatchObject(expected);
});

it('a wait goes on while the name of a host that has answered can’t be resolved', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const cause = Object.assign(new Error('No.'), { code: 'ENOTFOUND' });
  const answer = (state: string, version: number) => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' };
    return Promise.resolve(new Response(JSON.stringify({ data: { id: 'turn_1', state, version } }), { headers }));
  };
  const lose = () => Promise.reject(new TypeError('fetch failed', { cause }));
  const fetch = jest.fn<Promise<Response>, []>(lose);
  fetch
    .mockImplementationOnce(() => answer('running', 1))
    .mockImplementationOnce(lose)
    .mockImplementationOnce(lose);
  fetch.mockImplementationOnce(() => answer('completed', 2));
  const client = new ExternalApiClient({ baseUrl: 'https://service.test', token: 'svc_pat_x', fetch });
  expect(await client.sessions.waitForTurn('ses_1', 'turn_1')).toMatchObject({ state: 'completed' });
  expect(fetch).toHaveBeenCalledTimes(4);
});
