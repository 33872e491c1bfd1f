import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { buildInvocationReport, InvocationFixture } from '../../support/invocation-fixture';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { waitFor } from '../../support/wait-for';

const toInvocationId = (requestId: string) => requestId.replace('req_', 'inv_');

describe('POST /machines/{id}/invocations', () => {
  let fixture: InvocationFixture;

  beforeAll(async () => {
    fixture = await InvocationFixture.start();
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture?.stop());

  const listIds = async () =>
    expectStatus(await fixture.relay.http.get(fixture.getPath(), fixture.relay.token), 200).data.map(
      ({ id }: { id: string }) => id,
    );

  it('starts the command on the device of the machine, and answers 202 with the record', async () => {
    const httpResponse = await fixture.start();
    const { data } = expectStatus(httpResponse, 202);
    const requestId = httpResponse.headers.get('x-request-id')!;
    expect(data).toEqual({
      id: toInvocationId(requestId),
      object: 'invocation',
      machineId: fixture.machine.id,
      requestId,
      version: 2,
      state: 'running',
      errorCode: null,
      exitCode: null,
      signal: null,
      timedOut: false,
      stdoutBytes: 0,
      stderrBytes: 0,
      createdAt: expect.any(Number),
      startedAt: 1_788_255_000_000,
      endedAt: null,
    });
    expect(httpResponse.headers.get('ratelimit-policy')).toContain('relay');
    expect(fixture.machine.socket.requests).toEqual([
      {
        requestId,
        method: 'invocation.start',
        deadline: expect.any(Number),
        serverTime: expect.any(Number),
        timeoutMs: 10_000,
        caller: 'pat',
        machineId: fixture.machine.id,
        params: { command: 'make', args: [], cwd: null, timeoutMs: 600_000 },
      },
    ]);
    expect(await fixture.relay.readAuditRecord({ ...httpResponse, body: { requestId } })).toMatchObject({
      method: 'invocation.start',
      machineId: fixture.machine.id,
      status: 202,
      outcome: 'answered',
    });
  });

  it('passes on what the caller asks for', async () => {
    const params = { command: 'sh', args: ['-c', 'exit 1'], cwd: '/srv', timeoutMs: 3_600_000 };
    await fixture.startInvocation(params);
    expect(fixture.machine.socket.requests[0].params).toEqual(params);
  });

  it('starts once for each key, and replays the state of the first answer with its status', async () => {
    const keyed = { headers: { 'Idempotency-Key': 'start' } };
    const first = await fixture.start({}, keyed);
    const { data } = expectStatus(first, 202);
    expectStatus(await fixture.report(data, buildInvocationReport('completed', 2)), 200);
    const again = await fixture.start({}, keyed);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
    expect(fixture.machine.socket.requests).toHaveLength(1);
  });

  it.each([
    [{ command: '' }, ['/command']],
    [{ args: ['a\0', 1] }, ['/args/0', '/args']],
    [{ cwd: 'a\0' }, ['/cwd']],
    [{ timeoutMs: 0 }, ['/timeoutMs']],
    [{ timeoutMs: 3_600_001 }, ['/timeoutMs']],
    [{ waitMs: 0 }, ['/waitMs']],
  ])('does not start with %j', async (body, paths) => {
    expect(expectViolationPaths(await fixture.start(body))).toEqual(paths);
    expect(fixture.machine.socket.requests).toEqual([]);
  });

  it('leaves no record where nothing was delivered', async () => {
    const before = await listIds();
    expectProblem(await fixture.start({}, {}, 'mch_00000000000000000000000000'), 404, 'not_found');
    const offline = await fixture.relay.createOfflineMachine();
    const refused = expectProblem(await fixture.start({}, {}, offline.id), 503, 'no_online_device');
    expect(refused.outcome).toBe('not_delivered');
    expectProblem(
      await fixture.relay.http.get(
        fixture.getPath(`/${toInvocationId(refused.requestId)}`, offline.id),
        fixture.relay.token,
      ),
      404,
      'not_found',
    );
    fixture.machine.socket.setHandler(() => ({ ok: false, error: { code: 'busy', message: 'Too many.' } }));
    const busy = await fixture.start();
    expect(expectProblem(busy, 429, 'device_busy').outcome).toBe('not_delivered');
    expect(busy.headers.get('retry-after')).toBe('5');
    expect(await listIds()).toEqual(before);
  });

  it('does not reach a device of an earlier release', async () => {
    const older = await fixture.relay.createMachine();
    expectProblem(await fixture.start({}, {}, older.id), 503, 'no_online_device');
    expect(older.socket.requests).toEqual([]);
  });

  it.each([
    ['command_not_found', { state: 'failed', errorCode: 'command_not_found' }],
    ['out_of_memory', { state: 'failed', errorCode: 'internal' }],
    ['cancelled', { state: 'cancelled', errorCode: null }],
  ])('ends with the error of the device: %s', async (code, expected) => {
    fixture.machine.socket.setHandler(() => ({ ok: false, error: { code, message: 'No.' } }));
    const problem = expectProblem(await fixture.start(), 502, 'device_error');
    expect(problem).toMatchObject({ deviceError: { code }, outcome: 'answered' });
    const id = toInvocationId(problem.requestId);
    expect(await fixture.readInvocation(id)).toMatchObject({ ...expected, version: 2, startedAt: null });
  });

  it('answers with a report that overtook the answer', async () => {
    fixture.machine.socket.setHandler(async (request) => {
      expectStatus(await fixture.report(request, buildInvocationReport('completed', 2)), 200);
      return { ok: true, result: buildInvocationReport('running', 1) };
    });
    expect(await fixture.startInvocation()).toMatchObject({ state: 'completed', exitCode: 0, version: 2 });
  });

  it('keeps the record of an unknown outcome, which the report of the device settles', async () => {
    fixture.machine.socket.setHandler(() => NO_RESPONSE);
    const controller = new AbortController();
    const call = fixture.start({}, { signal: controller.signal });
    await waitFor(() => expect(fixture.machine.socket.requests).toHaveLength(1));
    const [request] = fixture.machine.socket.requests;
    controller.abort();
    await expect(call).rejects.toThrow();
    const id = toInvocationId(request.requestId);
    expect(await fixture.readInvocation(id)).toMatchObject({ state: 'starting', version: 1, startedAt: null });
    expectStatus(await fixture.report(request, buildInvocationReport('running', 1)), 200);
    expect(await fixture.readInvocation(id)).toMatchObject({ state: 'running', version: 2 });
  });

  it.each<[string, object]>([
    ['without a report', { started: true }],
    ['with a member of another type', { ...buildInvocationReport('running', 1), stdoutBytes: 'many' }],
  ])('believes that an answer %s started the command', async (_, result) => {
    fixture.machine.socket.setHandler(() => ({ ok: true, result }));
    const invocation = await fixture.startInvocation();
    expect(invocation).toMatchObject({ state: 'starting', version: 1 });
    expectStatus(await fixture.report(invocation, buildInvocationReport('completed', 2)), 200);
  });

  it('stores and exports neither the command nor its arguments and folder', async () => {
    const secret = 'hunter2-secret';
    const { id } = await fixture.startInvocation({ command: secret, args: [secret], cwd: `/${secret}` });
    const exported = await fixture.relay.http.get('/v1/account/export', fixture.relay.ada.token);
    const text = JSON.stringify(exported.body);
    expect(text).toContain(id);
    expect(text).not.toContain(secret);
    expect(exported.body.data.invocations.at(-1)).toMatchObject({ object: 'invocation', state: 'running' });
  });

  it('requires machines:invoke, and a machine of the account', async () => {
    const { token } = await fixture.relay.ada.createToken(['machines:read', 'sessions:write']);
    const refused = await fixture.relay.http.post(fixture.getPath(), token, { command: 'ls' });
    expect(expectProblem(refused, 403, 'insufficient_scope').required).toEqual(['machines:invoke']);
    const eve = await ForeignAccountDevice.signUp(fixture.relay.http);
    const foreign = await eve.createToken(['machines:invoke']);
    expectProblem(await fixture.relay.http.post(fixture.getPath(), foreign.token, { command: 'ls' }), 404, 'not_found');
    expect(fixture.machine.socket.requests).toEqual([]);
  });
});
