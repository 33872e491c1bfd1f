import type { TurnReport, TurnState } from '@external-api/protocol';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import type { HttpResponse, RequestOptions } from '../../support/http-client';
import { queryDatabase } from '../../support/database';
import { expectProblem } from '../../support/problems';
import { MACHINE_CAPABILITIES } from '../../support/relay-test-client';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { insertTurn } from '../../support/turn-rows';
import { waitFor } from '../../support/wait-for';

const CAPABILITIES = [...MACHINE_CAPABILITIES, 'session.cancel'];
const UNKNOWN_TURN = 'turn_00000000000000000000000000';

describe('the cancellation of a turn', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start({ RATE_LIMIT_RELAY: '100' });
    machine = await fixture.createMachine(CAPABILITIES);
    sessionId = (await fixture.ada.createSession(machine.device)).id;
  });
  beforeEach(() => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(() => ({ ok: true, result: { state: 'cancelled' } }));
  });
  afterAll(() => fixture?.stop());

  const createTurn = (state: TurnState, deviceId = machine.device.id) =>
    insertTurn(fixture.service, { accountId: fixture.ada.accountId, sessionId, deviceId }, state);
  const cancelTurn = (turnId: string, options: RequestOptions = {}, token = fixture.token): Promise<HttpResponse> =>
    fixture.http.post(`/external/v1/sessions/${sessionId}/turns/${turnId}/cancel`, token, undefined, options);

  it.each(['queued', 'running', 'requires_action', 'lost'] as const)(
    'reaches the device of a turn: %s',
    async (state) => {
      const turnId = await createTurn(state);
      const httpResponse = await cancelTurn(turnId);
      const { requestId } = httpResponse.body;
      expect(httpResponse).toMatchObject({ status: 200, body: { requestId, result: { state: 'cancelled' } } });
      expect(machine.socket.requests).toEqual([
        {
          requestId,
          method: 'session.cancel',
          deadline: expect.any(Number),
          serverTime: expect.any(Number),
          timeoutMs: 28_000,
          caller: 'pat',
          sessionId,
          params: { turnId },
        },
      ]);
      expect(await fixture.readAuditRecord(httpResponse)).toMatchObject({
        method: 'session.cancel',
        sessionId,
        deviceId: machine.device.id,
        status: 200,
        outcome: 'answered',
      });
    },
  );

  describe('with the report of an end that has not arrived', () => {
    const end: TurnReport = {
      ...{ revision: 3, state: 'completed', stopReason: 'end_turn', errorCode: null, pendingPermissions: 0 },
      ...{ usage: null, startedAt: 1_000, endedAt: 2_000 },
    };
    const answer = (report: unknown) =>
      machine.socket.setHandler(() => ({ ok: true, result: { state: 'completed', report } }));
    const readTurn = async (turnId: string) => {
      const path = `/external/v1/sessions/${sessionId}/turns/${turnId}`;
      return expectStatus(await fixture.http.get(path, fixture.token), 200).data;
    };

    it('stores it, and the start that has not arrived either', async () => {
      const turnId = await createTurn('queued');
      answer(end);
      expect((await cancelTurn(turnId)).body.result).toEqual({ state: 'completed' });
      const { revision: _, ...shown } = end;
      expect(await readTurn(turnId)).toMatchObject({ ...shown, version: 3 });
    });

    it('gives the session the context at that end', async () => {
      const turnId = await createTurn('running');
      answer({ ...end, context: { used: 40, size: 100 } });
      await cancelTurn(turnId);
      const path = `/external/v1/sessions/${sessionId}`;
      const session = expectStatus(await fixture.http.get(path, fixture.token), 200).data;
      expect(session.context).toEqual({ used: 40, size: 100 });
    });

    it('keeps what the device does not know any more', async () => {
      const turnId = await createTurn('running');
      const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
      await queryDatabase(
        fixture.service,
        "UPDATE turns SET usage = $2, started_at = timestamptz 'epoch' + interval '5 s' WHERE id = $1",
        [turnId, JSON.stringify(usage)],
      );
      answer({ ...end, state: 'failed', stopReason: null, errorCode: 'agent_lost', startedAt: null });
      await cancelTurn(turnId);
      expect(await readTurn(turnId)).toMatchObject({ state: 'failed', startedAt: 5_000, endedAt: 5_000, usage });
    });

    it.each([
      ['an older one', { ...end, revision: 1 }],
      ['one of an open turn', { ...end, state: 'running', stopReason: null, endedAt: null }],
      ['members that do not fit together', { ...end, stopReason: null }],
      ['other members', { ...end, more: 1 }],
      ['null', null],
      ['text', 'completed'],
      ['an array', [end]],
    ])('ignores %s', async (_, report) => {
      const turnId = await createTurn('running');
      answer(report);
      expect((await cancelTurn(turnId)).status).toBe(200);
      expect(await readTurn(turnId)).toMatchObject({ state: 'running', version: 1 });
    });
  });

  it.each(['completed', 'failed', 'cancelled'] as const)('needs the turn is %s', async (state) => {
    const turnId = await createTurn(state, 'dev_00000000000000000000000000');
    const keyed = { headers: { 'Idempotency-Key': `final-${state}` } };
    const first = await cancelTurn(turnId, keyed);
    expect(first).toMatchObject({ status: 200, body: { result: { state } } });
    const again = await cancelTurn(turnId, keyed);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect(machine.socket.requests).toEqual([]);
    expect(await fixture.readAuditRecord(first)).toMatchObject({ deviceId: null, status: 200, outcome: 'answered' });
  });

  it('goes to no other device while that of the turn is away', async () => {
    const { device } = await fixture.createOfflineMachine();
    const away = await cancelTurn(await createTurn('running', device.id));
    expect(expectProblem(away, 503, 'no_online_device').outcome).toBe('not_delivered');
    const old = await fixture.createMachine(MACHINE_CAPABILITIES);
    expectProblem(await cancelTurn(await createTurn('running', old.device.id)), 503, 'no_online_device');
    expect([machine.socket.requests, old.socket.requests]).toEqual([[], []]);
  });

  it('is 404 for a turn that is unknown, malformed, of another session or another account’s', async () => {
    const turnId = await createTurn('running');
    const other = (await fixture.ada.createSession(machine.device)).id;
    const eve = await ForeignAccountDevice.signUp(fixture.http);
    const { token } = await eve.createToken(['sessions:write']);
    for (const id of [UNKNOWN_TURN, 'nonsense', sessionId]) expectProblem(await cancelTurn(id), 404, 'not_found');
    expectProblem(await cancelTurn(turnId, {}, token), 404, 'not_found');
    const path = `/external/v1/sessions/${other}/turns/${turnId}/cancel`;
    expectProblem(await fixture.http.post(path, fixture.token, undefined), 404, 'not_found');
    expect(machine.socket.requests).toEqual([]);
  });

  it('requires sessions:write', async () => {
    const { token } = await fixture.ada.createToken(['sessions:read']);
    const refused = await cancelTurn(UNKNOWN_TURN, {}, token);
    expect(expectProblem(refused, 403, 'insufficient_scope').required).toEqual(['sessions:write']);
  });

  it('gets through while sixteen messages wait, and consumes nothing of the bucket of calls', async () => {
    machine.socket.setHandler(({ method }) =>
      method === 'session.cancel' ? { ok: true, result: { state: 'cancelled' } } : NO_RESPONSE,
    );
    const hangUp = new AbortController();
    const messages = Array.from({ length: 16 }, () => fixture.sendMessage(sessionId, 'x', { signal: hangUp.signal }));
    const ended = Promise.allSettled(messages);
    await waitFor(() => expect(machine.socket.requests).toHaveLength(16));
    const refused = expectProblem(await fixture.sendMessage(sessionId), 429, 'device_busy');
    expect(refused.outcome).toBe('not_delivered');
    const cancelled = await cancelTurn(await createTurn('running'));
    expect([cancelled.status, cancelled.body.result]).toEqual([200, { state: 'cancelled' }]);
    expect(cancelled.headers.get('ratelimit-policy')).toContain('metadata');
    hangUp.abort();
    await ended;
  });
});
