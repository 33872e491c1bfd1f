import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import type { HttpResponse, RequestOptions } from '../../support/http-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const CAPABILITIES = ['session.message', 'session.start', 'session.end'];
const STARTED = { sessionId: 'ses_00000000000000000000000000', turn: null };

describe('sessions of agents', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let appToken: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    const app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(fixture.http));
    const tokens = await app.obtainTokens(fixture.service, fixture.ada, { scope: 'sessions:write' });
    appToken = tokens.access_token;
    machine = await fixture.createMachine(CAPABILITIES);
  });
  beforeEach(() => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(({ method }) => ({
      ok: true,
      result: method === 'session.start' ? STARTED : { state: 'ended' },
    }));
  });
  afterAll(() => fixture?.stop());

  const startSession = (body: object = {}, options: RequestOptions = {}, machineId = machine.id) =>
    fixture.http.post(`/external/v1/machines/${machineId}/sessions`, fixture.token, body, options);
  const endSession = (id: string, token = fixture.token): Promise<HttpResponse> =>
    fixture.http.post(`/external/v1/sessions/${id}/end`, token, undefined);
  const createSession = async () => (await fixture.ada.createSession(machine.device)).id as string;

  describe('start', () => {
    it('on the device of the machine, with the id of the call as tag', async () => {
      const httpResponse = await startSession();
      const { requestId } = httpResponse.body;
      expect(httpResponse).toMatchObject({ status: 200, body: { requestId, result: STARTED } });
      expect(machine.socket.requests).toEqual([
        {
          requestId,
          method: 'session.start',
          deadline: expect.any(Number),
          serverTime: expect.any(Number),
          timeoutMs: 28_000,
          caller: 'pat',
          machineId: machine.id,
          params: { agent: null, cwd: null, mode: null, tag: requestId, content: null, waitMs: 25_000 },
        },
      ]);
      expect(httpResponse.headers.get('ratelimit-policy')).toContain('relay');
    });

    it('is 502 when the device names no session, and end when it names another state', async () => {
      machine.socket.setHandler(() => ({
        ok: true,
        result: { sessionId: '../machines', state: 'active', turn: null },
      }));
      for (const httpResponse of [await startSession(), await endSession(await createSession())]) {
        const { deviceError } = expectProblem(httpResponse, 502, 'device_error');
        expect(deviceError.code).toBe('invalid_answer');
      }
    });

    it('with what the caller asks for', async () => {
      const params = { agent: 'a-1', cwd: '/srv', mode: 'plan', tag: 'nightly', content: 'hello', waitMs: 0 };
      expectStatus(await startSession(params), 200);
      expect(machine.socket.requests[0].params).toEqual(params);
    });

    it('once for each key', async () => {
      const keyed = { headers: { 'Idempotency-Key': 'start' } };
      const first = await startSession({}, keyed);
      const again = await startSession({}, keyed);
      expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
      expect(machine.socket.requests).toHaveLength(1);
    });

    it('not if the device refuses, with its error', async () => {
      const error = { code: 'session_exists', message: 'There is a session with this tag.' };
      machine.socket.setHandler(() => ({ ok: false, error }));
      expect(expectProblem(await startSession(), 502, 'device_error')).toMatchObject({ deviceError: error });
    });

    it.each([
      [{ agent: 'A' }, ['/agent']],
      [{ agent: '' }, ['/agent']],
      [{ cwd: 'a\0' }, ['/cwd']],
      [{ mode: '' }, ['/mode']],
      [{ tag: 't'.repeat(129) }, ['/tag']],
      [{ content: ' ' }, ['/content']],
      [{ waitMs: 25_001 }, ['/waitMs']],
      [{ command: 'sh' }, ['/command']],
    ])('not with %j', async (body, faults) => {
      expect(expectViolationPaths(await startSession(body))).toEqual(faults);
      expect(machine.socket.requests).toEqual([]);
    });

    it('not on a machine that is unknown, offline or of an earlier release', async () => {
      expectProblem(await startSession({}, {}, 'mch_00000000000000000000000000'), 404, 'not_found');
      const { id } = await fixture.createOfflineMachine();
      expectProblem(await startSession({}, {}, id), 503, 'no_online_device');
      const older = await fixture.createMachine();
      expectProblem(await startSession({}, {}, older.id), 503, 'no_online_device');
      expect(older.socket.requests).toEqual([]);
    });
  });

  describe('end', () => {
    it('on the device of the session', async () => {
      const sessionId = await createSession();
      const httpResponse = await endSession(sessionId);
      expect(httpResponse).toMatchObject({ status: 200, body: { result: { state: 'ended' } } });
      expect(machine.socket.requests).toMatchObject([{ method: 'session.end', sessionId, params: {} }]);
    });

    it('without a device if they have ended already', async () => {
      const sessionId = await createSession();
      const patch = { token: fixture.ada.token, json: { state: 'ended' } };
      expectStatus(await fixture.http.request('PATCH', `/v1/sessions/${sessionId}`, patch), 200);
      expect(await endSession(sessionId)).toMatchObject({ status: 200, body: { result: { state: 'ended' } } });
      expect(machine.socket.requests).toEqual([]);
    });

    it('not by an account device other than their host', async () => {
      const phone = await fixture.connectDevice(fixture.ada, ['session.message', 'session.end']);
      const { device } = await fixture.createOfflineMachine();
      const { id } = await fixture.ada.createSession(device);
      expectProblem(await endSession(id), 503, 'no_online_device');
      expect(phone.requests).toEqual([]);
      phone.close();
    });

    it('not if they are unknown', async () => {
      expectProblem(await endSession('ses_00000000000000000000000000'), 404, 'not_found');
    });
  });

  it('are not started or ended by apps, whose messages devices can tell apart', async () => {
    const sessionId = await createSession();
    expectProblem(await endSession(sessionId, appToken), 403, 'forbidden');
    const startPath = `/external/v1/machines/${machine.id}/sessions`;
    expectProblem(await fixture.http.post(startPath, appToken, {}), 403, 'insufficient_scope');
    expect(machine.socket.requests).toEqual([]);
    const messagePath = `/external/v1/sessions/${sessionId}/messages`;
    expectStatus(await fixture.http.post(messagePath, appToken, { content: 'hello' }), 200);
    expect(machine.socket.requests).toMatchObject([{ method: 'session.message', caller: 'app' }]);
  });
});
