import { expectProblem, expectViolationPaths } from '../../support/problems';
import { expectStatus } from '../../support/device/foreign-device';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { insertTurn } from '../../support/turn-rows';

describe('a message to an agent that works', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(['session.message', 'session.busy']);
  });
  beforeEach(async () => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(() => ({ ok: true, result: { accepted: true, messageId: null, reply: null } }));
    sessionId = (await fixture.ada.createSession(machine.device)).id;
  });
  afterAll(() => fixture?.stop());

  const send = (body: object, headers: Record<string, string> = {}, id = sessionId) =>
    fixture.http.request('POST', `/external/v1/sessions/${id}/messages`, {
      token: fixture.token,
      json: { content: 'hello', ...body },
      headers,
    });
  const listTurns = async () =>
    expectStatus(await fixture.http.get(`/external/v1/sessions/${sessionId}/turns`, fixture.token), 200).data;

  it.each(['steer', 'interrupt', 'reject'])('is sent with what to do: %s', async (ifBusy) => {
    expectStatus(await send({ ifBusy }), 200);
    expect(machine.socket.requests[0].params).toMatchObject({ content: 'hello', ifBusy });
  });

  it.each([[{}], [{ ifBusy: 'queue' }], [{ ifBusy: null }]])('is queued by default: %j', async (body) => {
    const older = await fixture.createMachine();
    const id = (await fixture.ada.createSession(older.device)).id;
    expectStatus(await send(body, {}, id), 200);
    expect(older.socket.requests[0].params).toEqual({ content: 'hello', waitMs: 25_000 });
  });

  it('is not sent to a device that would queue it', async () => {
    const older = await fixture.createMachine();
    const id = (await fixture.ada.createSession(older.device)).id;
    expectProblem(await send({ ifBusy: 'steer' }, {}, id), 503, 'no_online_device');
    expect(older.socket.requests).toEqual([]);
  });

  it('is refused with another value, and for later delivery', async () => {
    expect(expectViolationPaths(await send({ ifBusy: 'wait' }))).toEqual(['/ifBusy']);
    expect(expectViolationPaths(await send({ ifBusy: 'steer', delivery: { mode: 'queue' } }))).toEqual(['/ifBusy']);
    expect(machine.socket.requests).toEqual([]);
  });

  it.each(['session_busy', 'steer_unsupported'])('is 409 %s by the device, and its key is free again', async (code) => {
    const headers = { 'Idempotency-Key': `busy-${code}` };
    machine.socket.setHandler(() => ({ ok: false, error: { code, message: 'No.' } }));
    const refused = await send({ ifBusy: 'reject' }, headers);
    expect(expectProblem(refused, 409, code).outcome).toBe('not_delivered');
    machine.socket.setHandler(() => ({ ok: true, result: { accepted: true, messageId: null, reply: null } }));
    expectStatus(await send({ ifBusy: 'reject' }, headers), 200);
  });

  it('names the turn that it has joined, and begins none', async () => {
    const owner = { accountId: fixture.ada.accountId, sessionId, deviceId: machine.device.id };
    const turn = { id: await insertTurn(fixture.service, owner, 'running'), state: 'running', stopReason: null };
    const result = { accepted: true, messageId: null, reply: null, turn, steered: true };
    machine.socket.setHandler(() => ({ ok: true, result }));
    expect(expectStatus(await send({ ifBusy: 'steer' }), 200).result).toEqual(result);
    expect(await listTurns()).toHaveLength(1);
  });

  it.each([
    ['the turn of another call that it has not joined', { steered: false }],
    ['a turn that is not one', { steered: true, turn: { id: 'ses_1', state: 'running', stopReason: null } }],
    ['no turn', { steered: true, turn: null }],
    ['no clear word', { steered: 'yes' }],
  ])('is not believed to have %s', async (_, change) => {
    const turn = { id: 'turn_00000000000000000000000000', state: 'running', stopReason: null };
    const result = { accepted: true, messageId: null, reply: null, turn, ...change };
    machine.socket.setHandler(() => ({ ok: true, result }));
    expect(expectProblem(await send({ ifBusy: 'steer' }), 502, 'device_error').deviceError.code).toBe('invalid_answer');
  });
});
