import { queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { ReportedTurn } from '../../support/turns/turn-reports';

const CAPABILITIES = ['session.message', 'session.start', 'session.cancel'];

describe('a turn that its device has named in an answer and not reported', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let sessionId: string;
  /** State that the device answers with. */
  let state: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
  });
  beforeEach(async () => {
    sessionId = (await fixture.ada.createSession(machine.device)).id;
    state = 'queued';
    machine.socket.setHandler(({ method, requestId }) => {
      const turn = { id: requestId.replace('req_', 'turn_'), state, stopReason: null };
      const start = method === 'session.start' ? { sessionId } : {};
      return { ok: true, result: { accepted: true, messageId: null, reply: null, turn, ...start } };
    });
  });
  afterAll(() => fixture?.stop());

  const sendMessage = async () => {
    const { result } = expectStatus(await fixture.sendMessage(sessionId, 'hello'), 200);
    return toTurn(result.turn.id);
  };
  const toTurn = (id: string) =>
    Object.assign(new ReportedTurn(machine.device, sessionId), { id, requestId: id.replace('turn_', 'req_') });
  const read = async (turn: ReportedTurn, query = '') =>
    expectStatus(await fixture.http.get(turn.path + query, fixture.token), 200).data;

  it('is found at once, and keeps its version with the first report of the same state', async () => {
    const turn = await sendMessage();
    const { createdAt, ...found } = await read(turn);
    expect(found).toMatchObject({ id: turn.id, state: 'queued', version: 1, deviceId: machine.device.id });
    const first = expectStatus(await turn.report('queued'), 201).data;
    expect(first).toMatchObject({ version: 1, state: 'queued', createdAt });
    expect(expectStatus(await turn.report('running'), 200).data).toMatchObject({ version: 2, state: 'running' });
    expect(expectStatus(await turn.report('completed'), 200).data).toMatchObject({ version: 3, state: 'completed' });
  });

  it.each(['running', 'requires_action', 'completed'])(
    'runs if the answer says %s, until its report',
    async (given) => {
      state = given;
      const turn = await sendMessage();
      expect(await read(turn)).toMatchObject({ state: 'running', startedAt: expect.any(Number), endedAt: null });
      // The answer has overtaken the first reports.
      expect(expectStatus(await turn.report('queued'), 200).data.state).toBe('running');
      expect(expectStatus(await turn.report('running'), 201).data).toMatchObject({ version: 1, state: 'running' });
      expect(expectStatus(await turn.report('completed'), 200).data).toMatchObject({ version: 2, state: 'completed' });
    },
  );

  it.each(['failed', 'cancelled', 'completed'] as const)('accepts %s as its first report', async (end) => {
    const turn = await sendMessage();
    expect(expectStatus(await turn.report(end), 201).data).toMatchObject({ version: 2, state: end });
    expect(await read(turn, '?waitMs=1000')).toMatchObject({ state: end });
  });

  it('can be waited for, and makes the session busy', async () => {
    state = 'running';
    const turn = await sendMessage();
    const path = `/external/v1/sessions/${sessionId}`;
    expect(expectStatus(await fixture.http.get(path, fixture.token), 200).data.activity).toBe('running');
    const waiting = read(turn, '?waitMs=20000');
    await turn.report('running');
    await turn.report('completed');
    expect(await waiting).toMatchObject({ state: 'completed' });
  });

  it('is found after a start with a message, and after the delivery of a queued one', async () => {
    const path = `/external/v1/machines/${machine.id}/sessions`;
    const { result } = expectStatus(await fixture.http.post(path, fixture.token, { content: 'hello' }), 200);
    expect(await read(toTurn(result.turn.id))).toMatchObject({ state: 'queued' });
    const queued = new QueuedSession(fixture.http, fixture.token, sessionId);
    const record = await queued.waitForState(await queued.queueMessage('hello'), 'delivered');
    expect(await read(toTurn(record.turnId))).toMatchObject({ state: 'queued', requestId: record.requestId });
  });

  it('is not made anew by an answer that follows the report', async () => {
    machine.socket.setHandler(async ({ requestId }) => {
      const turn = toTurn(requestId.replace('req_', 'turn_'));
      await turn.report('running');
      await turn.report('completed');
      const summary = { id: turn.id, state: 'completed', stopReason: 'end_turn' };
      return { ok: true, result: { accepted: true, messageId: null, reply: null, turn: summary } };
    });
    const turn = await sendMessage();
    expect(await read(turn)).toMatchObject({ state: 'completed', version: 2 });
  });

  it('is stored for an account device that gets the message in place of the host', async () => {
    const away = await fixture.ada.createSession(await fixture.ada.pairDevice('machine'));
    const phone = await fixture.connectDevice(fixture.ada, ['session.message']);
    phone.setHandler(({ requestId }) => {
      const turn = { id: requestId.replace('req_', 'turn_'), state: 'running', stopReason: null };
      return { ok: true, result: { accepted: true, messageId: null, reply: null, turn } };
    });
    const { result } = expectStatus(await fixture.sendMessage(away.id), 200);
    const path = `/external/v1/sessions/${away.id}/turns/${result.turn.id}`;
    const { data } = expectStatus(await fixture.http.get(path, fixture.token), 200);
    expect(data).toMatchObject({ state: 'running', deviceId: fixture.ada.id });
    phone.close();
  });

  it('is not stored for a device that may not report it', async () => {
    const foreign = await fixture.ada.createSession(await fixture.ada.pairDevice('machine'));
    machine.socket.setHandler(({ requestId }) => {
      const turn = { id: requestId.replace('req_', 'turn_'), state: 'queued', stopReason: null };
      return { ok: true, result: { sessionId: foreign.id, turn } };
    });
    const path = `/external/v1/machines/${machine.id}/sessions`;
    const { result } = expectStatus(await fixture.http.post(path, fixture.token, { content: 'hello' }), 200);
    const turnPath = `/external/v1/sessions/${foreign.id}/turns/${result.turn.id}`;
    expectProblem(await fixture.http.get(turnPath, fixture.token), 404, 'not_found');
  });

  it('counts as storage once', async () => {
    const readStorage = async () => {
      const sql = 'SELECT storage_bytes FROM accounts WHERE id = $1';
      const [row] = await queryDatabase<{ storage_bytes: string }>(fixture.service, sql, [fixture.ada.accountId]);
      return Number(row?.storage_bytes);
    };
    const before = await readStorage();
    const turn = await sendMessage();
    const after = await readStorage();
    expect(after - before).toBe(512);
    await turn.report('queued');
    await turn.report('running');
    expect(await readStorage()).toBe(after);
  });
});
