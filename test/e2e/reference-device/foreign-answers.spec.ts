import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MachineDevice, MemoryKeyStore, type MachineEvent } from '@external-api/device';
import { AgentFixture } from '../../support/agent-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import { FaultProxy, type Fault } from '../../support/clients/fault-proxy';
import { waitFor } from '../../support/wait-for';

const json = (status: number, body: object, headers = {}): Fault => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const page = (status: number, headers = {}): Fault => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: '<html>Sign in to this Wi-Fi</html>',
});
/** A problem document that lacks what only the service knows. */
const problem = (status: number, code: string, headers = {}): Fault => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ type: 'about:blank', title: 'No', status, detail: 'No.', code, requestId: 'req_gateway' }),
});

const ANSWERS: [name: string, answer: Fault][] = [
  ['a page with 200', page(200)],
  ['a page with 401', page(401)],
  ['a page with 403', page(403)],
  ['a page with 404', page(404)],
  ['a page with 409', page(409)],
  ['a page with 413', page(413)],
  ['a page with 502', page(502)],
  ['a redirect to a portal', page(302, { location: 'http://127.0.0.1:9/login' })],
  ['204 without a body', { status: 204, headers: {}, body: '' }],
  ['JSON with 200 and no data', json(200, { ok: true })],
  ['JSON with 200 and empty data', json(200, { data: {}, nextCursor: null })],
  ['JSON with 200 and an empty list', json(200, { data: [], nextCursor: null })],
  ['JSON of an error with 401', json(401, { code: 'invalid_token', reason: 'revoked', requestId: 'req_1' })],
  ['a problem of a gateway with 404', problem(404, 'not_found')],
  ['a problem of a gateway with an id of its own', problem(404, 'not_found', { 'x-request-id': 'other' })],
  ['a problem of a gateway with an unknown code', problem(403, 'blocked', { 'x-request-id': 'req_gateway' })],
  ['a problem with 401', problem(401, 'invalid_token')],
  ['no answer', 'hang'],
  ['a closed connection', 'reset-before'],
  ['a closed connection after the request', 'reset-after'],
  ['half an answer', 'truncate'],
];

describe('a machine while something in between answers instead of the service', () => {
  let fixture: AgentFixture;
  let proxy: FaultProxy;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await AgentFixture.start('ada-behind-a-portal', async ({ url }) => {
      proxy = await FaultProxy.start(url);
      return proxy.url;
    });
    sessionId = (await fixture.startSession()).result.sessionId;
    await fixture.ada.content.createKeyGrant(await fixture.ada.content.getSession(sessionId), {});
  });
  afterEach(() => proxy.reset());
  afterAll(async () => {
    await proxy?.stop();
    await fixture?.stop();
  });

  /** The device waits 30 s for an answer before it says that there is none. */
  const waitForFailedCalls = (since: number, answer: Fault) =>
    waitFor(() => {
      expect(proxy.requests.length).toBeGreaterThan(1);
      if (answer !== 'hang') expect(findProblem(since)).toMatch(/instead of the service|Cannot reach|interrupted/);
    });
  const findProblem = (since: number) => JSON.stringify(fixture.machine.events.slice(since));

  it.each(ANSWERS)('loses nothing that ends meanwhile, and no question: %s', async (_, answer) => {
    const since = fixture.machine.events.length;
    const { machineId } = fixture.machine.machineService.identity;
    proxy.lastingFault = answer;
    const turn = (await fixture.sendMessage(sessionId, 'say One.', 0)).result.turn;
    const asking = (await fixture.sendMessage(sessionId, 'tool 3 passed\nask\nsay Two.', 0)).result.turn;
    const command = { command: 'echo', args: ['done'] };
    const invocation = expectStatus(await fixture.post(`/machines/${machineId}/invocations`, command), 202).data;
    await waitForFailedCalls(since, answer);
    proxy.reset();

    await fixture.waitForTurn(sessionId, turn.id, 'completed');
    expect(await fixture.readRoles(sessionId, turn.id)).toEqual(['user', 'assistant']);
    await fixture.waitForTurn(sessionId, asking.id, 'requires_action');
    const path = `/sessions/${sessionId}/permission-requests`;
    const [request] = await waitFor(async () => {
      const pending = await fixture.get(`${path}?state=pending`);
      expect(pending).toHaveLength(1);
      return pending;
    });
    const { contentHash } = await fixture.get(`${path}/${request.id}/content`);
    expectStatus(await fixture.post(`${path}/${request.id}/decision`, { decision: 'allow', contentHash }), 200);
    await fixture.waitForTurn(sessionId, asking.id, 'completed');
    expect(await fixture.readRoles(sessionId, asking.id)).toEqual(['user', 'tool', 'assistant']);
    await waitFor(async () =>
      expect(await fixture.get(`/machines/${machineId}/invocations/${invocation.id}`)).toMatchObject({
        state: 'completed',
      }),
    );
    expect(findProblem(since)).not.toContain('rejected');
  });

  it.each(['cancelled', 'completed'])('lets a turn be cancelled for good: %s', async (state) => {
    const prompt = state === 'completed' ? 'wait-for ready\nsay One.' : 'silent';
    const { turn } = (await fixture.sendMessage(sessionId, prompt, 0)).result;
    await fixture.waitForTurn(sessionId, turn.id, 'running');
    proxy.lastingFault = page(404);
    if (state === 'completed') {
      writeFileSync(join(fixture.folder, 'ready'), '');
      // Turns of a session run one after the other, so that the answer to the second says that the first has ended.
      await fixture.sendMessage(sessionId, 'say Two.');
    }
    const cancellation = await fixture.post(`/sessions/${sessionId}/turns/${turn.id}/cancel`);
    expect(expectStatus(cancellation, 200).result).toEqual({ state });
    expect(await fixture.get(`/sessions/${sessionId}/turns/${turn.id}`)).toMatchObject({
      state,
      endedAt: expect.any(Number),
    });
    // The second message's turn is open until it can be reported.
    const activity = state === 'cancelled' ? 'idle' : 'running';
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity });
    proxy.reset();
    await waitFor(async () => expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'idle' }));
    if (state === 'cancelled') return;
    await waitFor(async () => expect(await fixture.readRoles(sessionId, turn.id)).toEqual(['user', 'assistant']));
  });

  it.each(ANSWERS)('waits with its start and comes back by itself: %s', async (_, answer) => {
    await fixture.machine.stop();
    const since = fixture.machine.events.length;
    proxy.lastingFault = answer;
    const started = fixture.machine.startServing();
    await waitFor(() => {
      expect(proxy.requests).not.toHaveLength(0);
      if (answer !== 'hang') expect(findProblem(since)).toContain('"event":"waiting"');
    });
    proxy.reset();
    await started;
  });

  it('waits with its pairing', async () => {
    const events: MachineEvent[] = [];
    proxy.lastingFault = page(404);
    const machine = await MachineDevice.open({
      url: proxy.url,
      publicUrl: fixture.service.url,
      store: new MemoryKeyStore(),
      account: 'ada-behind-a-portal',
      backoff: { baseMs: 50, maxMs: 200 },
      onEvent: (event) => {
        events.push(event);
        if (event.event === 'pairing') void fixture.ada.approveByFingerprint(event.code, event.fingerprint);
      },
    });
    const paired = machine.pairWithAccount({ pollIntervalMs: 20 });
    await waitFor(() => expect(events).toContainEqual(expect.objectContaining({ event: 'waiting' })));
    proxy.reset();
    await paired;
    expect(machine.isPaired).toBe(true);
  });

  it('believes the service itself that it was revoked', async () => {
    await fixture.machine.stop();
    await fixture.ada.revokeDevice(fixture.machine.machineService.identity.deviceId);
    await expect(fixture.machine.startServing()).rejects.toThrow('This device was revoked');
  });
});
