import { ConsoleClient } from '../../support/console-client';
import { DeviceSession } from '../../support/device/device-session';
import { expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

describe('calls of a browser with its login cookie', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let browser: ConsoleClient;
  let csrfToken: string;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine();
    sessionId = (await fixture.ada.createSession(machine.device)).id;
  });
  beforeEach(async () => {
    machine.socket.requests.length = 0;
    browser = await ConsoleClient.signIn(fixture.service.url, fixture.ada);
    csrfToken = await browser.readCsrfToken();
  });
  afterAll(() => fixture?.stop());

  const send = (headers: Record<string, string>): Promise<HttpResponse> =>
    fixture.http.post(`/v1/control/sessions/${sessionId}/messages`, undefined, { content: 'hello' }, { headers });
  const read = (headers: Record<string, string>): Promise<HttpResponse> =>
    fixture.http.get(`/v1/control/sessions/${sessionId}/turns`, undefined, { headers });
  const withCookie = (headers: Record<string, string> = {}) => ({ Cookie: browser.cookie!, ...headers });
  const readRemaining = async () =>
    (await fixture.http.get('/external/v1/me', fixture.token)).body.meta.rateLimits.relay.remaining as number;

  it('are accepted with the CSRF token of the login', async () => {
    const headers = withCookie({ 'X-CSRF-Token': csrfToken, 'Sec-Fetch-Site': 'same-origin' });
    const httpResponse = await send(headers);
    expectStatus(httpResponse, 200);
    expect(machine.socket.requests).toMatchObject([{ caller: 'device' }]);
    expect(await fixture.readAuditRecord(httpResponse)).toMatchObject({ callerDeviceId: fixture.ada.id });
    expectStatus(await read(headers), 200);
  });

  it('are refused without it, before the call consumes from the bucket of the account', async () => {
    const before = await readRemaining();
    const other = await ConsoleClient.signIn(fixture.service.url, fixture.ada);
    const foreignToken = await other.readCsrfToken();
    const wrongTokens = ['', 'nonsense', `${csrfToken}x`, `${csrfToken}, ${csrfToken}`, foreignToken];
    for (const headers of [{}, ...wrongTokens.map((token) => ({ 'X-CSRF-Token': token }))]) {
      for (const call of [send, read]) {
        const refused = await call(withCookie(headers));
        expect(expectProblem(refused, 403, 'forbidden').detail).toMatch(/earlier login\. Reload it\. .* X-CSRF-Token/);
        expect(refused.headers.has('ratelimit')).toBe(false);
      }
    }
    expect(machine.socket.requests).toEqual([]);
    expect(await readRemaining()).toBe(before);
  });

  it.each(['cross-site', 'same-site'])('are refused if another site sent them: %s', async (site) => {
    const headers = withCookie({ 'X-CSRF-Token': csrfToken, 'Sec-Fetch-Site': site });
    expectProblem(await send(headers), 403, 'forbidden');
    expectProblem(await read(headers), 403, 'forbidden');
    expect(machine.socket.requests).toEqual([]);
  });

  it('require a credential: the token alone is none', async () => {
    expectProblem(await send({ 'X-CSRF-Token': csrfToken }), 401, 'missing_token');
    const headers = { Cookie: `${browser.cookie!}0`, 'X-CSRF-Token': csrfToken };
    expectProblem(await send(headers), 401, 'invalid_token');
    expect(machine.socket.requests).toEqual([]);
  });

  it('ignore the cookie beside an Authorization header', async () => {
    expectStatus(await send(withCookie({ Authorization: `Bearer ${fixture.ada.token}` })), 200);
    const headers = withCookie({ 'X-CSRF-Token': csrfToken, Authorization: `Bearer ${fixture.token}` });
    expectProblem(await send(headers), 401, 'invalid_token');
  });

  it('end with the login', async () => {
    const headers = withCookie({ 'X-CSRF-Token': csrfToken });
    await browser.post('/console/sign-out', { csrf: csrfToken });
    expectProblem(await send(headers), 401, 'invalid_token');
  });

  it('are accepted on routes where a browser reads ciphertext and grants keys, with the CSRF token', async () => {
    const paths = [
      '/v1/sessions',
      `/v1/sessions/${sessionId}`,
      `/v1/sessions/${sessionId}/messages`,
      `/v1/sessions/${sessionId}/permission-requests`,
      `/v1/sessions/${sessionId}/key-grants`,
      '/v1/key-grants/recipient',
      '/v1/artifacts',
      '/v1/control/artifacts',
      '/v1/control/machines',
    ];
    for (const path of paths) {
      const headers = withCookie({ 'X-CSRF-Token': csrfToken });
      expectStatus(await fixture.http.get(path, undefined, { headers }), 200);
      expectProblem(await fixture.http.get(path, undefined, { headers: withCookie() }), 403, 'forbidden');
    }
  });

  it('rename a session, with the CSRF token', async () => {
    const session = await DeviceSession.createSession(fixture.ada);
    const json = { metadata: session.encryptMetadata(2, '{"title":"Monday"}'), expectedVersion: 1 };
    const path = `/v1/sessions/${session.id}`;
    const rename = (headers: Record<string, string>) => fixture.http.request('PATCH', path, { json, headers });
    expectProblem(await rename(withCookie()), 403, 'forbidden');
    expectProblem(await rename({ 'X-CSRF-Token': csrfToken }), 401, 'missing_token');
    const { data } = expectStatus(await rename(withCookie({ 'X-CSRF-Token': csrfToken })), 200);
    expect(data).toMatchObject({ version: 2, metadata: json.metadata });
    expectProblem(await rename(withCookie({ 'X-CSRF-Token': csrfToken })), 409, 'conflict');
  });

  it('are refused on other routes of devices and scripts', async () => {
    const headers = withCookie({ 'X-CSRF-Token': csrfToken });
    for (const path of ['/v1/devices', '/v1/account', '/external/v1/sessions']) {
      expectProblem(await fixture.http.get(path, undefined, { headers }), 401, 'missing_token');
    }
    expectProblem(await fixture.http.post('/v1/sessions', undefined, {}, { headers }), 401, 'missing_token');
    const path = `/v1/sessions/${sessionId}`;
    expectProblem(await fixture.http.request('DELETE', path, { headers }), 401, 'missing_token');
  });
});
