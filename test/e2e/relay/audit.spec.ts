import { queryDatabase, findTablesContaining } from '../../support/database';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

describe('the audit of relayed calls', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;
  let common: object;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    connectedMachine = await fixture.createMachine();
    common = {
      requestId: expect.stringMatching(/^req_/),
      method: 'machine.invoke',
      deviceId: connectedMachine.device.id,
      sessionId: null,
      machineId: connectedMachine.id,
      tokenId: fixture.tokenId,
      appId: null,
      callerDeviceId: null,
      requestBytes: JSON.stringify({ command: 'true', args: [], cwd: null }).length,
      resultBytes: null,
      routeMs: expect.any(Number),
      deviceMs: expect.any(Number),
      totalMs: expect.any(Number),
      timedOut: false,
      createdAt: expect.any(Number),
    };
  });
  afterEach(() => connectedMachine.socket.close());
  afterAll(() => fixture?.stop());

  it('records a successful call with times and sizes', async () => {
    const result = { stdout: 'é' };
    connectedMachine.socket.setHandler(() => ({ ok: true, result }));
    const before = Date.now();
    const httpResponse = await fixture.invokeMachine(connectedMachine.id);
    const row = await fixture.readAuditRecord(httpResponse);
    const resultBytes = Buffer.byteLength(JSON.stringify(result));
    expect(row).toEqual({
      ...common,
      requestId: httpResponse.body.requestId,
      resultBytes,
      status: 200,
      code: null,
      outcome: 'answered',
    });
    expect(row.createdAt).toBeGreaterThanOrEqual(before);
    expect(row.totalMs).toBeGreaterThanOrEqual(row.deviceMs);
  });

  it('records the session of a message', async () => {
    const session = await fixture.ada.createSession(connectedMachine.device);
    const row = await fixture.readAuditRecord(await fixture.sendMessage(session.id, 'ü'));
    const requestBytes = Buffer.byteLength(JSON.stringify({ content: 'ü', waitMs: 25_000 }));
    expect(row).toMatchObject({
      method: 'session.message',
      sessionId: session.id,
      machineId: null,
      requestBytes,
    });
  });

  it('records the machine of the session of a message', async () => {
    const { device, id: machineId } = connectedMachine;
    const session = await fixture.ada.createSession(device, { machineId });
    const row = await fixture.readAuditRecord(await fixture.sendMessage(session.id, 'ü'));
    expect(row).toMatchObject({ method: 'session.message', sessionId: session.id, machineId });
  });

  it('says that the time limit ended a command, which messages do not have', async () => {
    connectedMachine.socket.setHandler(() => ({ ok: true, result: { timedOut: true } }));
    const session = await fixture.ada.createSession(connectedMachine.device);
    const command = await fixture.readAuditRecord(await fixture.invokeMachine(connectedMachine.id));
    const message = await fixture.readAuditRecord(await fixture.sendMessage(session.id));
    expect([command, message]).toMatchObject([
      { status: 200, outcome: 'answered', timedOut: true },
      { status: 200, outcome: 'answered', timedOut: false },
    ]);
  });

  it('records a device error as answered', async () => {
    connectedMachine.socket.setHandler(() => ({ ok: false, error: { code: 'internal', message: 'x' } }));
    const row = await fixture.readAuditRecord(await fixture.invokeMachine(connectedMachine.id));
    expect(row).toEqual({ ...common, status: 502, code: 'device_error', outcome: 'answered' });
  });

  it('records a timeout as unknown, with its duration', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const row = await fixture.readAuditRecord(await fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 }));
    expect(row).toEqual({ ...common, status: 504, code: 'timeout', outcome: 'unknown' });
    expect(row.totalMs).toBeGreaterThanOrEqual(1_990);
  });

  it('records an undelivered call, with or without a key', async () => {
    connectedMachine.socket.close();
    await waitFor(async () => expectProblem(await fixture.invokeMachine(connectedMachine.id), 503, 'no_online_device'));
    for (const headers of [{}, { 'Idempotency-Key': 'kept-for-support' }] as Record<string, string>[]) {
      const row = await fixture.readAuditRecord(await fixture.invokeMachine(connectedMachine.id, {}, { headers }));
      const nothing = { deviceId: null, routeMs: null, deviceMs: null };
      expect(row).toEqual({
        ...common,
        ...nothing,
        status: 503,
        code: 'no_online_device',
        outcome: 'not_delivered',
      });
    }
  });

  it('records a running call with a key at once', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const call = fixture.invokeMachine(
      connectedMachine.id,
      { timeoutMs: 1 },
      { headers: { 'Idempotency-Key': 'at-once' } },
    );
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    const { requestId } = connectedMachine.socket.requests[0];
    const rows = await queryDatabase(fixture.service, 'SELECT * FROM relay_calls WHERE request_id = $1', [requestId]);
    expect(rows).toEqual([expect.objectContaining({ status: 502, code: 'device_disconnected', outcome: 'unknown' })]);
    expect(await fixture.readAuditRecord(await call)).toMatchObject({
      requestId,
      status: 504,
      outcome: 'unknown',
    });
  });

  it('never contains the body', async () => {
    const marks = { command: 'a-command-to-find', args: ['an-argument-to-find'], cwd: '/a-folder-to-find' };
    connectedMachine.socket.setHandler(() => ({ ok: true, result: { stdout: 'an-output-to-find' } }));
    await fixture.readAuditRecord(await fixture.invokeMachine(connectedMachine.id, marks));
    connectedMachine.socket.setHandler(() => ({
      ok: false,
      error: { code: 'internal', message: 'a-message-to-find' },
    }));
    await fixture.readAuditRecord(await fixture.invokeMachine(connectedMachine.id, marks));
    for (const text of ['command', 'argument', 'folder', 'output', 'message']) {
      expect(await findTablesContaining(fixture.service, `${text}-to-find`)).toEqual([]);
      expect(fixture.service.logs.join('')).not.toContain(`${text}-to-find`);
    }
  });

  it('ignores a call without a valid target', async () => {
    const httpResponse = await fixture.invokeMachine('mch_00000000000000000000000000');
    const path = `/v1/relay-calls/${httpResponse.body.requestId}`;
    expectProblem(await fixture.service.http.get(path, fixture.ada.token), 404, 'not_found');
  });

  it('is 404 for another account and malformed ids, and not accessible to tokens and machines', async () => {
    const { requestId } = (await fixture.invokeMachine(connectedMachine.id)).body;
    const { http } = fixture.service;
    const eve = await ForeignAccountDevice.signUp(http);
    expectProblem(await http.get(`/v1/relay-calls/${requestId}`, eve.token), 404, 'not_found');
    for (const id of ['nonsense', '%00', 'req_00000000000000000000000000', requestId.toUpperCase()]) {
      expectProblem(await http.get(`/v1/relay-calls/${id}`, fixture.ada.token), 404, 'not_found');
    }
    expectProblem(await http.get(`/v1/relay-calls/${requestId}`, fixture.token), 401, 'invalid_token');
    expectProblem(await http.get(`/v1/relay-calls/${requestId}`, connectedMachine.device.token), 403, 'forbidden');
  });

  it('loses nothing in a graceful shutdown', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => fixture.invokeMachine(connectedMachine.id)));
    fixture.service = await fixture.service.restart();
    for (const answer of answers) expect(await fixture.readAuditRecord(answer)).toMatchObject({ status: 200 });
  });
});
