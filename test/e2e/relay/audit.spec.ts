import { query, tablesHolding } from '../../support/database';
import { NO_ANSWER } from '../../support/device/device-socket';
import { AccountDevice } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

describe('the audit of relayed calls', () => {
  let scene: RelayScene;
  let machine: Machine;
  let common: object;

  beforeAll(async () => {
    scene = await RelayScene.start();
  });
  beforeEach(async () => {
    machine = await scene.machine();
    common = {
      requestId: expect.stringMatching(/^req_/),
      method: 'machine.invoke',
      deviceId: machine.device.id,
      sessionId: null,
      machineId: machine.id,
      tokenId: scene.tokenId,
      appId: null,
      requestBytes: JSON.stringify({ command: 'true', args: [], cwd: null }).length,
      resultBytes: null,
      routeMs: expect.any(Number),
      deviceMs: expect.any(Number),
      totalMs: expect.any(Number),
      createdAt: expect.any(Number),
    };
  });
  afterEach(() => machine.socket.close());
  afterAll(() => scene?.stop());

  it('has the whole row of a success, times and sizes included', async () => {
    const result = { stdout: 'é' };
    machine.socket.answerWith(() => ({ ok: true, result }));
    const before = Date.now();
    const answer = await scene.invoke(machine.id);
    const row = await scene.auditOf(answer);
    const resultBytes = Buffer.byteLength(JSON.stringify(result));
    expect(row).toEqual({
      ...common,
      requestId: answer.body.requestId,
      resultBytes,
      status: 200,
      code: null,
      outcome: 'answered',
    });
    expect(row.createdAt).toBeGreaterThanOrEqual(before);
    expect(row.totalMs).toBeGreaterThanOrEqual(row.deviceMs);
  });

  it('has the session of a message', async () => {
    const session = await scene.ada.openSession(machine.device);
    const row = await scene.auditOf(await scene.message(session.id, 'ü'));
    const requestBytes = Buffer.byteLength(JSON.stringify({ content: 'ü' }));
    expect(row).toMatchObject({
      method: 'session.message',
      sessionId: session.id,
      machineId: null,
      requestBytes,
    });
  });

  it('has a device error as answered', async () => {
    machine.socket.answerWith(() => ({ ok: false, error: { code: 'internal', message: 'x' } }));
    const row = await scene.auditOf(await scene.invoke(machine.id));
    expect(row).toEqual({ ...common, status: 502, code: 'device_error', outcome: 'answered' });
  });

  it('has a time-out as unknown, with the time that it took', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const row = await scene.auditOf(await scene.invoke(machine.id, { timeoutMs: 1 }));
    expect(row).toEqual({ ...common, status: 504, code: 'timeout', outcome: 'unknown' });
    expect(row.totalMs).toBeGreaterThanOrEqual(1_990);
  });

  it('has a call that was not delivered, under a key or not', async () => {
    machine.socket.close();
    await eventually(async () => problem(await scene.invoke(machine.id), 503, 'no_online_device'));
    for (const headers of [{}, { 'Idempotency-Key': 'kept-for-support' }] as Record<string, string>[]) {
      const row = await scene.auditOf(await scene.invoke(machine.id, {}, { headers }));
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

  it('has what is known of a keyed call at once, while it runs', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const call = scene.invoke(machine.id, { timeoutMs: 1 }, { headers: { 'Idempotency-Key': 'at-once' } });
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    const { requestId } = machine.socket.requests[0];
    const rows = await query(scene.service, 'SELECT * FROM relay_calls WHERE request_id = $1', [requestId]);
    expect(rows).toEqual([expect.objectContaining({ status: 502, code: 'device_disconnected', outcome: 'unknown' })]);
    expect(await scene.auditOf(await call)).toMatchObject({ requestId, status: 504, outcome: 'unknown' });
  });

  it('never has the body', async () => {
    const marks = { command: 'a-command-to-find', args: ['an-argument-to-find'], cwd: '/a-folder-to-find' };
    machine.socket.answerWith(() => ({ ok: true, result: { stdout: 'an-output-to-find' } }));
    await scene.auditOf(await scene.invoke(machine.id, marks));
    machine.socket.answerWith(() => ({
      ok: false,
      error: { code: 'internal', message: 'a-message-to-find' },
    }));
    await scene.auditOf(await scene.invoke(machine.id, marks));
    for (const text of ['command', 'argument', 'folder', 'output', 'message']) {
      expect(await tablesHolding(scene.service, `${text}-to-find`)).toEqual([]);
      expect(scene.service.logs.join('')).not.toContain(`${text}-to-find`);
    }
  });

  it('has nothing of a call that named nothing', async () => {
    const answer = await scene.invoke('mch_00000000000000000000000000');
    const path = `/v1/relay-calls/${answer.body.requestId}`;
    problem(await scene.service.http.get(path, scene.ada.token), 404, 'not_found');
  });

  it('is 404 for another account, for ids that are none, and closed to tokens and machines', async () => {
    const { requestId } = (await scene.invoke(machine.id)).body;
    const { http } = scene.service;
    const eve = await AccountDevice.signUp(http);
    problem(await http.get(`/v1/relay-calls/${requestId}`, eve.token), 404, 'not_found');
    for (const id of ['nonsense', '%00', 'req_00000000000000000000000000', requestId.toUpperCase()]) {
      problem(await http.get(`/v1/relay-calls/${id}`, scene.ada.token), 404, 'not_found');
    }
    problem(await http.get(`/v1/relay-calls/${requestId}`, scene.token), 401, 'invalid_token');
    problem(await http.get(`/v1/relay-calls/${requestId}`, machine.device.token), 403, 'forbidden');
  });

  it('loses nothing at a clean stop', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => scene.invoke(machine.id)));
    scene.service = await scene.service.restart();
    for (const answer of answers) expect(await scene.auditOf(answer)).toMatchObject({ status: 200 });
  });
});
