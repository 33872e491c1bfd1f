import { DataSource } from 'typeorm';
import { generateId } from '../../../src/common/ids';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { buildTurnReport, ReportedTurn } from '../../support/turns/turn-reports';
import { listViolations } from '../../support/violations';

describe('reports of turns', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  let session: { id: string };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['sessions:read']));
  });
  beforeEach(async () => {
    session = await ada.createSession(machine);
  });
  afterAll(() => service?.stop());

  const startTurn = () => new ReportedTurn(machine, session.id);
  const putReport = (path: string, { token }: ForeignDevice) =>
    service.http.request('PUT', path, { token, json: buildTurnReport('running', 1) });
  const readSession = async () =>
    expectStatus(await service.http.get(`/external/v1/sessions/${session.id}`, token), 200).data;
  const readTurns = async (query = '') =>
    expectStatus(await service.http.get(`/external/v1/sessions/${session.id}/turns${query}`, token), 200).data;

  it('are stored with 201, then 200, each with the next version', async () => {
    const turn = startTurn();
    const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 20, cachedInputTokens: 6 };
    const cost = { amount: 0.0425, currency: 'USD' };
    const first = expectStatus(await turn.report('queued'), 201).data;
    expect(first).toEqual({
      id: turn.id,
      object: 'turn',
      sessionId: session.id,
      origin: 'message',
      requestId: turn.requestId,
      deviceId: machine.id,
      version: 1,
      state: 'queued',
      stopReason: null,
      errorCode: null,
      firstSeq: null,
      lastSeq: null,
      pendingPermissions: 0,
      usage: null,
      cost: null,
      createdAt: expect.any(Number),
      startedAt: null,
      lastActivityAt: null,
      endedAt: null,
      updatedAt: first.createdAt,
    });
    expect(expectStatus(await turn.report('running'), 200).data).toMatchObject({ version: 2, state: 'running' });
    expect(expectStatus(await turn.report('requires_action'), 200).data).toMatchObject({
      version: 3,
      state: 'requires_action',
      pendingPermissions: 1,
    });
    expect(expectStatus(await turn.report('completed', { usage, cost }), 200).data).toMatchObject({
      version: 4,
      state: 'completed',
      stopReason: 'end_turn',
      pendingPermissions: 0,
      usage,
      cost,
      startedAt: 1_788_255_000_000,
      endedAt: 1_788_255_060_000,
    });
    expect(await readTurns()).toMatchObject([{ id: turn.id, version: 4, usage, cost }]);
  });

  it('of turns that the agent began have no call, which later reports do not change', async () => {
    const turn = startTurn();
    const origin = { origin: 'agent' };
    const first = expectStatus(await turn.put({ ...buildTurnReport('running', 1), ...origin }), 201).data;
    expect(first).toMatchObject({ id: turn.id, origin: 'agent', requestId: null, state: 'running' });
    expect((await readSession()).activity).toBe('running');
    expectStatus(await turn.put(buildTurnReport('requires_action', 2)), 200);
    expect((await readSession()).activity).toBe('requires_action');
    expect(expectStatus(await turn.put(buildTurnReport('completed', 3)), 200).data).toMatchObject({
      origin: 'agent',
      requestId: null,
      state: 'completed',
    });
    expect(await readTurns()).toMatchObject([{ id: turn.id, origin: 'agent', requestId: null }]);
    const ofMessage = startTurn();
    expectStatus(await ofMessage.report('running'), 201);
    expect(expectStatus(await ofMessage.put({ ...buildTurnReport('running', 9), ...origin }), 200).data).toMatchObject({
      origin: 'message',
      requestId: ofMessage.requestId,
    });
    const refused = await startTurn().put({ ...buildTurnReport('running', 1), origin: 'timer' });
    expect(listViolations(refused)).toEqual([['body', '/origin', 'not_allowed']]);
  });

  it('go on to the end of the turn after an account device has ended the session', async () => {
    const turn = startTurn();
    expectStatus(await turn.report('running'), 201);
    const end = { token: ada.token, json: { state: 'ended' } };
    expectStatus(await service.http.request('PATCH', `/v1/sessions/${session.id}`, end), 200);
    expect(expectStatus(await turn.report('requires_action'), 200).data.state).toBe('requires_action');
    expect(expectStatus(await turn.report('completed'), 200).data.state).toBe('completed');
    expect(await readSession()).toMatchObject({ state: 'ended', activity: 'idle' });
  });

  it('with an equal or lower revision change nothing', async () => {
    const turn = startTurn();
    const stored = expectStatus(await turn.put(buildTurnReport('running', 5)), 201).data;
    for (const revision of [5, 4, 1]) {
      expect(expectStatus(await turn.put(buildTurnReport('completed', revision)), 200).data).toEqual(stored);
    }
    expect(await readTurns()).toEqual([stored]);
  });

  it('can neither leave a final state nor skip the run of a queued turn', async () => {
    const ended = startTurn();
    const completed = expectStatus(await ended.report('completed'), 201).data;
    expect(expectStatus(await ended.report('running'), 200).data).toEqual(completed);
    expect(expectStatus(await ended.report('failed'), 200).data).toEqual(completed);
    const waiting = startTurn();
    const queued = expectStatus(await waiting.report('queued'), 201).data;
    expect(expectStatus(await waiting.report('completed'), 200).data).toEqual(queued);
    expect(expectStatus(await waiting.report('cancelled'), 200).data).toMatchObject({ state: 'cancelled', version: 2 });
  });

  it('are accepted from the first reporting device only', async () => {
    const turn = startTurn();
    expectStatus(await turn.report('running'), 201);
    const refused = await turn.put(buildTurnReport('completed', 9), ada);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const foreign = new ReportedTurn(await ada.pairDevice('machine'), session.id);
    expect(await foreign.report('running')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await readTurns()).toMatchObject([{ id: turn.id, state: 'running', version: 1 }]);
  });

  it('of one call belong to one session', async () => {
    const turn = startTurn();
    expectStatus(await turn.report('running'), 201);
    const other = await ada.createSession(machine);
    const path = `/v1/sessions/${other.id}/turns/${turn.requestId}`;
    const refused = await putReport(path, machine);
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('are 404 for another account, an unknown session or a malformed request id', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const put = (id: string, localId: string, by: ForeignDevice) =>
      putReport(`/v1/sessions/${id}/turns/${localId}`, by);
    for (const answer of [
      await put(session.id, generateId('req'), bob),
      await put(generateId('ses'), generateId('req'), machine),
      await put(session.id, 'req_x', machine),
      await put(session.id, generateId('turn'), machine),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it.each<[string, object, string[]]>([
    ['a state of the service', { state: 'lost' }, ['/state']],
    ['revision 0', { revision: 0 }, ['/revision']],
    ['no revision', { revision: null }, ['/revision']],
    ['an unknown stop reason', { stopReason: 'tired' }, ['/stopReason']],
    ['a stop reason that does not fit', { stopReason: 'end_turn' }, ['/stopReason']],
    ['an error code that does not fit', { errorCode: 'agent_error' }, ['/errorCode']],
    ['an end while it runs', { endedAt: 1_788_255_060_000 }, ['/endedAt']],
    ['an unknown field', { note: 'x' }, ['/note']],
    ['a part of the usage', { usage: { inputTokens: 1 } }, ['/usage/outputTokens', '/usage/totalTokens']],
    ['too many pending permissions', { pendingPermissions: 33 }, ['/pendingPermissions']],
  ])('with %s are 400 and change nothing', async (_, change, paths) => {
    const refused = await startTurn().put(buildTurnReport('running', 1, change));
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(listViolations(refused).map(([, path]) => path)).toEqual(paths);
    expect(await readTurns()).toEqual([]);
  });

  it('determine the activity of the session', async () => {
    expect(await readSession()).toMatchObject({ activity: 'idle', agent: null });
    const [first, second] = [startTurn(), startTurn()];
    await first.report('running');
    expect(await readSession()).toMatchObject({ activity: 'running' });
    await second.report('queued');
    await first.report('requires_action');
    expect(await readSession()).toMatchObject({ activity: 'requires_action' });
    await first.report('completed');
    expect(await readSession()).toMatchObject({ activity: 'running' });
    await second.report('cancelled');
    expect(await readSession()).toMatchObject({ activity: 'idle' });
  });

  it('of several turns at once leave the activity of the last', async () => {
    const turns = Array.from({ length: 10 }, startTurn);
    await Promise.all(turns.map((turn) => turn.report('running')));
    expect(await readSession()).toMatchObject({ activity: 'running' });
    await Promise.all(turns.map((turn) => turn.report('completed')));
    expect(await readSession()).toMatchObject({ activity: 'idle' });
    expect((await readTurns('?state=completed')).length).toBe(10);
    expect(await readTurns('?state=running')).toEqual([]);
  });

  it('at once with one revision are stored once', async () => {
    const turn = startTurn();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        turn.put(buildTurnReport('running', 1, { usage: { inputTokens: i, outputTokens: 0, totalTokens: i } })),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect(await readTurns()).toMatchObject([{ version: 1 }]);
  });

  it('notify the other devices of the account', async () => {
    const socket = await DeviceSocket.connect(service.url, ada.token, []);
    const hints: object[] = [];
    socket.socket.on('change', (hint: object) => hints.push(hint));
    const turn = startTurn();
    await turn.report('queued');
    await turn.report('running');
    await turn.report('running');
    const ended = new Promise<void>((resolve) =>
      socket.socket.on('change', (hint: { type: string }) => hint.type === 'turn.ended' && resolve()),
    );
    await turn.report('completed');
    await ended;
    expect(hints).toEqual(['turn.started', 'turn.ended'].map((type) => ({ type, id: session.id })));
    socket.close();
  });

  it('are listed for the devices that may change the session, by state', async () => {
    const [open, ended] = [startTurn(), startTurn()];
    await open.report('running');
    await ended.report('running');
    await ended.report('completed');
    const list = (device: ForeignDevice, query = '') =>
      service.http.get(`/v1/sessions/${session.id}/turns${query}`, device.token);
    for (const device of [machine, ada]) {
      expect(expectStatus(await list(device), 200)).toEqual({ data: await readTurns(), nextCursor: null });
      expect(expectStatus(await list(device, '?state=running'), 200).data).toMatchObject([{ id: open.id }]);
    }
    expectStatus(await list(await ada.pairDevice('machine')), 403);
    const unknown = await service.http.get('/v1/sessions/ses_00000000000000000000000000/turns', machine.token);
    expectStatus(unknown, 404);
  });

  it('are counted as storage, which the deletion of the session frees', async () => {
    const readStorage = async () => {
      const query = service.app.get(DataSource).query.bind(service.app.get(DataSource));
      const [row] = await query<{ storage_bytes: string }[]>('SELECT storage_bytes FROM accounts WHERE id = $1', [
        ada.accountId,
      ]);
      return Number(row!.storage_bytes);
    };
    const before = await readStorage();
    const turn = startTurn();
    await turn.report('running');
    await turn.report('completed');
    expect((await readStorage()) - before).toBe(512);
    const [{ sessionId }] = await readTurns();
    expectStatus(await service.http.delete(`/v1/sessions/${sessionId}`, machine.token), 204);
    expect(await readStorage()).toBeLessThan(before);
  });

  it('are part of the export', async () => {
    const turn = startTurn();
    await turn.report('running');
    const exported = expectStatus(await service.http.get('/v1/account/export', ada.token), 200).data;
    expect(exported.turns).toContainEqual(expect.objectContaining({ id: turn.id, state: 'running' }));
  });
});
