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
