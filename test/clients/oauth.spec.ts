import { runProgram } from '../support/clients/client-package';
import { FaultProxy, type Fault } from '../support/clients/fault-proxy';
import { expectStatus, ForeignAccountDevice } from '../support/device/foreign-device';
import { ThirdPartyApp } from '../support/oauth/third-party-app';
import { Service } from '../support/service';

const ACCESS_TOKEN_LIFETIME_MS = 3_600_000;

describe('oauthToken of the client', () => {
  let service: Service;
  let proxy: FaultProxy;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000', RATE_LIMIT_ADDRESS: '100000' });
    proxy = await FaultProxy.start(service.url);
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });
  beforeEach(async () => {
    proxy.reset();
    const tokens = await app.obtainTokens(service, ada);
    const options = { clientId: app.clientId, clientSecret: app.clientSecret };
    env = {
      BASE_URL: proxy.url,
      OAUTH: JSON.stringify({ ...options, accessToken: tokens.access_token, refreshToken: tokens.refresh_token }),
    };
  });
  afterAll(async () => {
    await proxy?.stop();
    await service?.stop();
  });

  const SET_UP = `
    const stored = [];
    const onRefresh = async (tokens) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      stored.push(tokens);
    };
    const app = new ExternalApiClient({
      baseUrl, token: oauthToken({ baseUrl, ...JSON.parse(process.env.OAUTH), onRefresh }),
    });
    const callAll = (count) => Promise.all(Array.from({ length: count }, () =>
      app.me().then((me) => me.data.token.type, describe)));`;
  const run = (code: string) => runProgram(SET_UP + code, { env: { TOKEN: 'unused', ...env } });
  const countRefreshes = () => proxy.requests.filter(({ url }) => url.endsWith('/oauth/token')).length;
  const expireAccessToken = () => service.advanceClock(ACCESS_TOKEN_LIFETIME_MS + 1_000);

  it('uses a valid access token without a refresh', async () => {
    expect(await run(`print(await callAll(20)); print(stored);`)).toEqual([Array(20).fill('oauth'), []]);
    expect(countRefreshes()).toBe(0);
  });

  it('takes no answer of a portal for new tokens', async () => {
    expireAccessToken();
    const page: Fault = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Portal</html>' };
    const body = { access_token: null, refresh_token: '', ok: true };
    const json: Fault = { status: 200, headers: { 'content-type': 'application/json', 'x-request-id': 'x' }, body };
    proxy.faults = [null, page, json];
    expect(await run(`print(await callAll(1)); print(stored.length);`)).toEqual([['oauth'], 1]);
    expect(countRefreshes()).toBe(3);
  });

  it('refreshes once for twenty calls at once with an expired access token', async () => {
    expireAccessToken();
    const [types, stored] = await run(`print(await callAll(20)); print(stored);`);
    expect(types).toEqual(Array(20).fill('oauth'));
    expect(countRefreshes()).toBe(1);
    expect(stored).toEqual([
      {
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        expiresInSeconds: 3_600,
        scope: expect.stringContaining('sessions:read'),
      },
    ]);
    // The tokens work for another client, as after a restart of the app.
    expect((await service.http.get('/external/v1/me', stored[0].accessToken)).status).toBe(200);
    expectStatus(await app.refreshTokens(stored[0].refreshToken), 200);
  });

  it('repeats a refresh that did not reach the service', async () => {
    const { accessToken: _, ...options } = JSON.parse(env.OAUTH!);
    env.OAUTH = JSON.stringify(options);
    proxy.faults = ['reset-before'];
    const [types, stored] = await run(`print(await callAll(5)); print(stored);`);
    expect(types).toEqual(Array(5).fill('oauth'));
    expect(stored).toHaveLength(1);
    expect(countRefreshes()).toBe(2);
  });

  it('rejects all calls with invalid_grant after the sign-in has ended', async () => {
    expectStatus(await app.postToEndpoint('revoke', { token: JSON.parse(env.OAUTH!).refreshToken }), 200);
    const [errors, stored] = await run(`print(await callAll(5)); print(stored);`);
    expect(errors).toHaveLength(5);
    for (const error of errors) expect(error).toMatchObject({ name: 'ApiError', status: 400, code: 'invalid_grant' });
    expect(stored).toEqual([]);
    expect(countRefreshes()).toBe(1);
  });
});
