import { ConsoleClient } from '../../support/console-client';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import type { HttpResponse, RequestOptions } from '../../support/http-client';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { insertTurn } from '../../support/turn-rows';
import { waitFor } from '../../support/wait-for';

const CAPABILITIES = ['session.message', 'machine.invoke', 'session.cancel', 'session.start', 'session.end'];
/** Of the methods whose results the service checks. */
const RESULTS: Record<string, object> = {
  'session.cancel': { state: 'cancelled' },
  'session.end': { state: 'ended' },
  'session.start': { sessionId: 'ses_00000000000000000000000000', turn: null },
};
const UNKNOWN_MACHINE = 'mch_00000000000000000000000000';

describe('relayed calls of an account device', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let phone: ForeignDevice;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
    phone = await fixture.ada.pairDevice('account', 'phone');
  });
  beforeEach(async () => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(({ method }) => ({ ok: true, result: RESULTS[method] ?? { state: 'done' } }));
    sessionId = (await fixture.ada.createSession(machine.device)).id;
  });
  afterAll(() => fixture?.stop());

  const call = (path: string, body?: object, options: RequestOptions = {}, by = phone.token): Promise<HttpResponse> =>
    fixture.http.post(`/v1/control${path}`, by, body, options);
  const callWithToken = (path: string, body?: object, options: RequestOptions = {}): Promise<HttpResponse> =>
    fixture.http.post(`/external/v1${path}`, fixture.token, body, options);
  const createTurn = () => {
    const owner = { accountId: fixture.ada.accountId, sessionId, deviceId: machine.device.id };
    return insertTurn(fixture.service, owner, 'running');
  };

  it.each([
    {
      method: 'session.message',
      bucket: 'relay',
      path: () => `/sessions/${sessionId}/messages`,
      body: { content: 'hello', waitMs: 0 },
      params: { content: 'hello', waitMs: 0 },
    },
    {
      method: 'machine.invoke',
      bucket: 'relay',
      path: () => `/machines/${machine.id}/invoke`,
      body: { command: 'true' },
      params: { command: 'true', args: [], cwd: null },
    },
    {
      method: 'session.start',
      bucket: 'relay',
      path: () => `/machines/${machine.id}/sessions`,
      body: { tag: 'nightly' },
      params: { agent: null, cwd: null, mode: null, tag: 'nightly', content: null, waitMs: 25_000 },
    },
    {
      method: 'session.end',
      bucket: 'relay',
      path: () => `/sessions/${sessionId}/end`,
      body: undefined,
      params: {},
    },
    {
      method: 'session.cancel',
      bucket: 'metadata',
      path: async () => `/sessions/${sessionId}/turns/${await createTurn()}/cancel`,
      body: undefined,
      params: { turnId: expect.any(String) },
    },
  ])('tell the device that a device calls, and name it in the audit: $method', async (route) => {
    const httpResponse = await call(await route.path(), route.body);
    const { requestId } = httpResponse.body;
    const result = RESULTS[route.method] ?? { state: 'done' };
    expect(httpResponse).toMatchObject({ status: 200, body: { requestId, result } });
    expect(httpResponse.headers.get('ratelimit-policy')).toContain(`"${route.bucket}"`);
    expect(machine.socket.requests).toMatchObject([
      { requestId, method: route.method, caller: 'device', params: route.params },
    ]);
    expect(await fixture.readAuditRecord(httpResponse)).toMatchObject({
      requestId,
      method: route.method,
      deviceId: machine.device.id,
      tokenId: null,
      appId: null,
      callerDeviceId: phone.id,
      status: 200,
      outcome: 'answered',
    });
  });

  it('have the same errors as those of tokens', async () => {
    expect(expectViolationPaths(await call(`/sessions/${sessionId}/messages`, { content: ' ' }))).toEqual(['/content']);
    expectProblem(await call(`/machines/${UNKNOWN_MACHINE}/invoke`, { command: 'true' }), 404, 'not_found');
    machine.socket.setHandler(() => ({ ok: false, error: { code: 'busy', message: 'x' } }));
    const refused = await call(`/sessions/${sessionId}/messages`, { content: 'hello' });
    expect(expectProblem(refused, 429, 'device_busy').outcome).toBe('not_delivered');
    expect(await fixture.readAuditRecord(refused)).toMatchObject({ callerDeviceId: phone.id, code: 'device_busy' });
  });

  it('run once for each key, which no token and no other device shares', async () => {
    const keyed = { headers: { 'Idempotency-Key': `once-${sessionId}` } };
    const path = `/sessions/${sessionId}/messages`;
    const body = { content: 'hello' };
    const first = await call(path, body, keyed);
    const again = await call(path, body, keyed);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect(machine.socket.requests).toHaveLength(1);
    expectProblem(await call(path, { content: 'other' }, keyed), 422, 'idempotency_key_reused');

    const others = [await callWithToken(path, body, keyed), await call(path, body, keyed, fixture.ada.token)];
    for (const other of others) {
      expectStatus(other, 200);
      expect(other.headers.has('idempotency-replayed')).toBe(false);
      expect(other.body.requestId).not.toBe(first.body.requestId);
    }
    expect(machine.socket.requests.map(({ caller }) => caller)).toEqual(['device', 'pat', 'device']);
    expect(await fixture.readAuditRecord(first)).toMatchObject({ callerDeviceId: phone.id, tokenId: null });
    expect(await fixture.readAuditRecord(others[0]!)).toMatchObject({ callerDeviceId: null, tokenId: fixture.tokenId });
  });

  it('appear in the activity with the name of the device', async () => {
    const { requestId } = expectStatus(await call(`/machines/${machine.id}/invoke`, { command: 'true' }), 200);
    const browser = await ConsoleClient.signIn(fixture.service.url, fixture.ada);
    await waitFor(async () => {
      const { html } = await browser.get('/console/activity');
      const row = html.split('<tr').find((text) => text.includes(requestId));
      expect(row).toContain('phone<small>Device</small>');
    });
  });

  it('do not reach other accounts', async () => {
    const eve = await ForeignAccountDevice.signUp(fixture.http);
    const path = `/sessions/${sessionId}/messages`;
    expectProblem(await call(path, { content: 'hello' }, {}, eve.token), 404, 'not_found');
    expectProblem(await call(`/machines/${machine.id}/invoke`, { command: 'true' }, {}, eve.token), 404, 'not_found');
    expect(machine.socket.requests).toEqual([]);
  });
});
